/** Builds the published files: ESM without dependencies, and its declarations. */
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build, type Plugin } from 'esbuild'

const PACKAGE = fileURLToPath(new URL('../', import.meta.url))
const ROOT = resolve(PACKAGE, '../..')
const SOURCE = join(PACKAGE, 'src')

/** The subpaths of the package, each with its file. */
export const ENTRIES = {
  '.': 'index',
  './ai': 'ai',
  './express': 'express',
  './fastify': 'fastify',
  './hono': 'hono',
  './langchain': 'langchain',
  './openai-agents': 'openai-agents',
  './opentelemetry': 'opentelemetry',
  './widget': 'widget',
} as const

const LICENCES = `/*! @deputize/sdk, Apache-2.0. Holds code of @noble/hashes (MIT, Paul Miller) and canonicalize (Apache-2.0). */`

/** Replaces node:crypto in protocol sources, which were written for Node. */
const portable: Plugin = {
  name: 'portable',
  setup({ onResolve }) {
    onResolve({ filter: /^node:crypto$/ }, () => ({ path: join(SOURCE, 'portable/crypto.ts') }))
  },
}

export async function bundle(folder: string): Promise<void> {
  rmSync(folder, { recursive: true, force: true })
  await build({
    entryPoints: Object.values(ENTRIES).map((name) => join(SOURCE, `${name}.ts`)),
    absWorkingDir: ROOT,
    outdir: folder,
    bundle: true,
    splitting: true,
    chunkNames: 'chunks/[hash]',
    format: 'esm',
    platform: 'neutral',
    mainFields: ['module', 'main'],
    external: ['node:stream', '@opentelemetry/api'],
    conditions: ['browser', 'import'],
    target: 'es2022',
    inject: [join(SOURCE, 'portable/buffer.ts')],
    plugins: [portable],
    legalComments: 'none',
    banner: { js: LICENCES },
  })
  declarations(folder)
}

/** Writes the declarations that can be reached from the entries, and no others. */
function declarations(folder: string): void {
  const made = join(folder, 'made')
  const { stdout, status } = spawnSync(
    join(ROOT, 'node_modules/.bin/tsc'),
    ['-p', join(PACKAGE, 'build/tsconfig.json'), '--outDir', made],
    { encoding: 'utf8' },
  )
  if (status !== 0) throw new Error(`the declarations were not made:\n${stdout}`)
  const from = join(made, 'sdk/node/src')
  const seen = new Set<string>()
  const copy = (path: string): void => {
    if (seen.has(path)) return
    seen.add(path)
    // A side-effect import declares nothing.
    const text = readFileSync(join(from, path), 'utf8').replaceAll(/^import '[^']+';\n/gm, '')
    const to = join(folder, path)
    mkdirSync(dirname(to), { recursive: true })
    writeFileSync(to, text.replaceAll(/(from '|import\(')(\.[^']+)\.ts'/g, "$1$2.js'"))
    for (const [, target = ''] of text.matchAll(/(?:from|import) ?\(?['"](\.[^'"]+)['"]/g)) {
      const next = relative(from, resolve(from, dirname(path), target)).replace(/\.[jt]s$/, '.d.ts')
      if (!existsSync(join(from, next)) || next.startsWith('..'))
        throw new Error(`${path} shows ${target}, which is not part of the package`)
      copy(next)
    }
  }
  for (const name of Object.values(ENTRIES)) copy(`${name}.d.ts`)
  rmSync(made, { recursive: true })
}
