import { readFileSync } from 'node:fs'
import { basename, dirname, join, relative } from 'node:path'
import { build, type Plugin } from 'esbuild'
import { isSource, PLACE_BESIDE, ROOT, type Sources, thirdPartyExternal } from './sources.ts'

/** The folder of the compiled program, in the repository and in the package. */
export const COMPILED = 'dist'

/**
 * Compiles the program to a few files in one folder: one for each process and thread, and what they share. Node starts it in
 * half the time that it takes to find and load a thousand sources.
 */
export async function compile({ entries }: Sources, folder: string): Promise<void> {
  await build({
    entryPoints: Object.fromEntries([...entries].map((entry) => [nameOf(entry), join(ROOT, entry)])),
    absWorkingDir: ROOT,
    outdir: join(folder, COMPILED),
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node22',
    legalComments: 'none',
    minifySyntax: true, // names are kept, for stack traces
    plugins: [thirdPartyExternal, fromOneFolder],
  })
}

function nameOf(entry: string): string {
  return basename(entry, '.ts')
}

/** Sources refer to files next to them. Compiled files are all in one folder. */
const fromOneFolder: Plugin = {
  name: 'from-one-folder',
  setup({ onLoad }) {
    onLoad({ filter: /\.ts$/ }, ({ path }) => {
      const folder = dirname(relative(ROOT, path))
      const text = readFileSync(path, 'utf8')
      if (text.replaceAll(PLACE_BESIDE, '').includes('import.meta.url'))
        throw new Error(`${path} must use new URL('...', import.meta.url).`)
      const contents = text.replaceAll(PLACE_BESIDE, (_, place: string) => {
        const to = isSource(place) ? `./${nameOf(place)}.js` : join('..', folder, place)
        return `new URL('${to}', import.meta.url)`
      })
      return { contents, loader: 'ts' }
    })
  },
}
