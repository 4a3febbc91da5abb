import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build, type Metafile, type Plugin } from 'esbuild'

export const ROOT: string = fileURLToPath(new URL('../../', import.meta.url))

/** How a source refers to a file next to it: a worker thread, a page, a folder with migrations. */
export const PLACE_BESIDE: RegExp = /new URL\('([^']+)', import\.meta\.url\)/g

/** Everything that a program consists of, as paths in the repository. */
export interface Sources {
  /** Each source, with its import specifiers and the sources that they resolve to. */
  readonly files: ReadonlyMap<string, ReadonlyMap<string, string>>
  /** Files and folders that the sources read at run time. */
  readonly data: ReadonlySet<string>
  /** The third-party packages that they import. */
  readonly packages: ReadonlySet<string>
}

/** Follows imports, and treats worker threads as imports. */
export async function sourcesOf(entry: string): Promise<Sources> {
  const files = new Map<string, ReadonlyMap<string, string>>()
  const data = new Set<string>()
  const packages = new Set<string>()
  const open = [entry]
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    for (const [file, { imports }] of Object.entries(await inputsOf(next))) {
      if (files.has(file)) continue
      files.set(file, ownImports(imports))
      for (const { external, path } of imports)
        if (external && isThirdParty(path)) packages.add(packageOf(path))
      for (const place of placesBeside(file)) place.endsWith('.ts') ? open.push(place) : data.add(place)
    }
  }
  return { files, data, packages }
}

type Inputs = Metafile['inputs']

async function inputsOf(entry: string): Promise<Inputs> {
  const { metafile } = await build({
    entryPoints: [join(ROOT, entry)],
    absWorkingDir: ROOT,
    bundle: true,
    write: false,
    metafile: true,
    format: 'esm',
    platform: 'node',
    plugins: [thirdPartyExternal],
  })
  return metafile.inputs
}

/** Third-party packages are installed, not compiled. */
const thirdPartyExternal: Plugin = {
  name: 'third-party-external',
  setup({ onResolve }) {
    onResolve({ filter: /^[^./#]/ }, ({ kind, path }) =>
      kind !== 'entry-point' && isThirdParty(path) ? { path, external: true } : undefined,
    )
  },
}

function isThirdParty(specifier: string): boolean {
  return !/^(\.|\/|#|node:|@deputize\/)/.test(specifier)
}

function packageOf(specifier: string): string {
  return specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/')
}

function ownImports(imports: Inputs[string]['imports']): Map<string, string> {
  const own = imports.filter(({ external }) => external !== true)
  return new Map(own.map(({ original, path }) => [original ?? path, path]))
}

function placesBeside(file: string): string[] {
  const text = readFileSync(join(ROOT, file), 'utf8')
  return [...text.matchAll(PLACE_BESIDE)].map(([, place = '']) => join(dirname(file), place))
}
