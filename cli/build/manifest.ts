import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from './sources.ts'

type Versions = Readonly<Record<string, string>>

interface Manifest {
  readonly name: string
  readonly version: string
  readonly description?: string
  readonly license: string
  readonly type: string
  readonly engines?: Versions
  readonly bin?: Readonly<Record<string, string>>
  readonly workspaces?: readonly string[]
  readonly dependencies?: Versions
  readonly devDependencies?: Versions
  readonly optionalDependencies?: Versions
}

/**
 * The `package.json` of what is packed, for a program that imports `packages`. Everything in it is said in those of the
 * repository.
 */
export function packedManifest(packages: Iterable<string>): Record<string, unknown> {
  const { name, version, description, license, type, engines, optionalDependencies } = manifestOf('.')
  return {
    name,
    version,
    // Somebody else owns this name on the public registry: a mistaken `npm publish` must fail here.
    private: true,
    description,
    license,
    type,
    bin: { deputy: `cli/${manifestOf('cli').bin?.deputy}` },
    exports: { './package.json': './package.json' },
    engines: { node: engines?.node },
    dependencies: versionsOf(packages),
    optionalDependencies,
  }
}

/** What a part of the program reads of itself while it runs. */
export function partManifest(part: string): Record<string, unknown> {
  const { name, version, type } = manifestOf(part)
  return { name, version, private: true, type }
}

/** The exact versions that the repository is tested with. */
function versionsOf(packages: Iterable<string>): Versions {
  const { workspaces = [], devDependencies = {} } = manifestOf('.')
  const declared = [...workspaces.map((folder) => manifestOf(folder).dependencies ?? {}), devDependencies]
  return Object.fromEntries([...packages].sort().map((name) => [name, versionOf(name, declared)]))
}

function versionOf(name: string, declared: readonly Versions[]): string {
  const versions = new Set(declared.flatMap((one) => one[name] ?? []))
  const [version, ...others] = versions
  if (version === undefined)
    throw new Error(`${name} is imported, and no package.json of the repository has it`)
  if (others.length > 0) throw new Error(`${name} is there in several versions: ${[...versions].join(', ')}`)
  return version
}

function manifestOf(folder: string): Manifest {
  return JSON.parse(readFileSync(join(ROOT, folder, 'package.json'), 'utf8'))
}
