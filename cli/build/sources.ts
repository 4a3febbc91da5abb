import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build, type Metafile, type Plugin } from 'esbuild'

/** The entry point of the command. */
const ENTRY = 'cli/src/main.ts'

export const ROOT: string = fileURLToPath(new URL('../../', import.meta.url))

/** Matches a reference to something next to the source: a worker thread, a page, a folder with migrations. */
export const PLACE_BESIDE: RegExp = /new URL\('([^']+)', import\.meta\.url\)/g

/** Everything that the command `deputy` and its service consist of, as paths in the repository. */
export interface Sources {
  /** The entry points of processes and threads. */
  readonly entries: ReadonlySet<string>
  readonly files: ReadonlySet<string>
  /** Files and folders that the sources read at run time. */
  readonly data: ReadonlySet<string>
  /** The third-party packages that they import. */
  readonly packages: ReadonlySet<string>
}

/** Follows imports from the command to the threads that it starts, and on from there. */
export async function sourcesOfDeputy(): Promise<Sources> {
  const entries = new Set([ENTRY])
  const files = new Set<string>()
  const data = new Set<string>()
  const packages = new Set<string>()
  for (const entry of entries)
    for (const [file, { imports }] of Object.entries(await inputsOf(entry))) {
      if (files.has(file)) continue
      files.add(file)
      for (const { external, path } of imports)
        if (external && isThirdParty(path)) packages.add(packageOf(path))
      for (const place of placesBeside(file)) isSource(place) ? entries.add(place) : data.add(place)
    }
  return { entries, files, data, packages }
}

/** Whether the place is a source, and so the entry point of a thread or process. */
export function isSource(place: string): boolean {
  return place.endsWith('.ts')
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
export const thirdPartyExternal: Plugin = {
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

function placesBeside(file: string): string[] {
  const text = readFileSync(join(ROOT, file), 'utf8')
  return [...text.matchAll(PLACE_BESIDE)].map(([, place = '']) => join(dirname(file), place))
}
