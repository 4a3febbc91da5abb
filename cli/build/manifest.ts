import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from './sources.ts'

type Versions = Readonly<Record<string, string>>

interface Manifest {
  readonly name: string
  readonly version: string
  readonly type: string
  readonly engines?: Versions
  readonly bin?: Readonly<Record<string, string>>
  readonly workspaces?: readonly string[]
  readonly dependencies?: Versions
  readonly devDependencies?: Versions
  readonly optionalDependencies?: Versions
  readonly [member: string]: unknown
}

/** Members of the root manifest that describe the published package. */
const DESCRIBING = ['description', 'keywords', 'license', 'author', 'repository', 'homepage', 'bugs'] as const

/** The `package.json` of the published package. It depends on `packages`, in the versions of this repository. */
export function packedManifest(packages: Iterable<string>): Record<string, unknown> {
  const root = manifestOf('.')
  const bins = Object.entries(manifestOf('cli').bin ?? {})
  return {
    name: root.name,
    version: root.version,
    ...Object.fromEntries(DESCRIBING.map((member) => [member, root[member]])),
    type: root.type,
    bin: Object.fromEntries(bins.map(([name, file]) => [name, `cli/${file}`])),
    exports: { './package.json': './package.json' },
    engines: { node: root.engines?.node },
    publishConfig: { access: 'public', provenance: true },
    dependencies: versionsOf(packages),
    optionalDependencies: root.optionalDependencies,
  }
}

/** The `package.json` of a workspace inside the package, which the program reads at run time. */
export function partManifest(part: string): Record<string, unknown> {
  const { name, version, type } = manifestOf(part)
  return { name, version, private: true, type }
}

/** The exact versions that this repository is tested with. */
function versionsOf(packages: Iterable<string>): Versions {
  const { workspaces = [], devDependencies = {} } = manifestOf('.')
  const declared = [...workspaces.map((folder) => manifestOf(folder).dependencies ?? {}), devDependencies]
  return Object.fromEntries([...packages].sort().map((name) => [name, versionOf(name, declared)]))
}

function versionOf(name: string, declared: readonly Versions[]): string {
  const versions = new Set(declared.flatMap((one) => one[name] ?? []))
  const [version, ...others] = versions
  if (version === undefined) throw new Error(`${name} is imported, but no package.json declares it.`)
  if (others.length > 0)
    throw new Error(`${name} is declared in several versions: ${[...versions].join(', ')}.`)
  return version
}

function manifestOf(folder: string): Manifest {
  return JSON.parse(readFileSync(join(ROOT, folder, 'package.json'), 'utf8'))
}
