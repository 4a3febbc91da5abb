import { readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { build, type Plugin } from 'esbuild'
import { PLACE_BESIDE, ROOT, type Sources } from './sources.ts'

/** Compiles each source to one file, in the same tree, so that relative paths to data files stay valid. */
export async function compile(files: Sources['files'], folder: string): Promise<void> {
  await build({
    entryPoints: [...files.keys()].map((file) => join(ROOT, file)),
    absWorkingDir: ROOT,
    outbase: ROOT,
    outdir: folder,
    bundle: true,
    treeShaking: false,
    format: 'esm',
    platform: 'node',
    target: 'node22',
    legalComments: 'none',
    minifySyntax: true, // names stay, for traces of errors
    plugins: [eachAlone(files)],
  })
}

/** Keeps imports, but points them to the compiled files. */
function eachAlone(files: Sources['files']): Plugin {
  return {
    name: 'each-alone',
    setup({ onResolve, onLoad }) {
      onResolve({ filter: /./ }, ({ kind, path, importer }) => {
        if (kind === 'entry-point') return undefined
        const from = relative(ROOT, importer)
        const to = files.get(from)?.get(path)
        return { path: to === undefined ? path : specifier(from, to), external: true }
      })
      onLoad({ filter: /\.ts$/ }, ({ path }) => ({
        contents: readFileSync(path, 'utf8').replaceAll(PLACE_BESIDE, compiledName),
        loader: 'ts',
      }))
    },
  }
}

function specifier(from: string, to: string): string {
  const path = compiledName(relative(dirname(from), to))
  return path.startsWith('.') ? path : `./${path}`
}

function compiledName(source: string): string {
  return source.replace(/\.ts(?='|$)/, '.js')
}
