import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { build, type Plugin } from 'esbuild'
import { REPOSITORY } from '../source-imports.ts'

const PROGRAMS = join(REPOSITORY, 'node_modules/.cache/programs')
/** Threads and processes of the service, each started from a file of its own. */
const THREADS: Readonly<Record<string, string>> = {
  'thread-worker': 'server/src/clerk/thread-worker.ts',
  'front-worker': 'server/src/http/fronts/front-worker.ts',
  'delivery-worker': 'server/src/events/thread/delivery-worker.ts',
  'scoring-worker': 'server/src/trust/scoring-worker.ts',
  'checkpoint-worker': 'server/src/store/sqlite/checkpoint-worker.ts',
  'install-worker': 'biometrics/src/pack/install-worker.ts',
  'judging-process': 'biometrics/src/pool/judging-process.ts',
}

/**
 * Bundles the service and the command, because the tests start them hundreds of times and a bundle starts in half the
 * time of its 400 sources. Tests of the start itself use the sources, as does every test outside the runner.
 */
export async function bundlePrograms(): Promise<void> {
  await Promise.all([bundle('service', 'server/src/main.ts'), bundle('command', 'cli/bin/deputy.js')])
  process.env.DEPUTY_TEST_PROGRAMS = PROGRAMS
}

async function bundle(name: string, entry: string): Promise<void> {
  const outdir = join(PROGRAMS, name)
  await build({
    absWorkingDir: REPOSITORY,
    entryPoints: { main: entry, ...THREADS },
    outdir,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node24',
    // The first is absent, the second reads its own files, and users share the third with the command.
    external: ['pg-native', '@scalar/fastify-api-reference', '@opentelemetry/api'],
    // Packages in CommonJS require each other.
    banner: {
      js: `import { createRequire as requireFrom } from 'node:module'; const require = requireFrom(${JSON.stringify(join(REPOSITORY, entry))});`,
    },
    plugins: [inPlace(outdir)],
  })
}

/** Sources find files beside themselves, so each keeps its own address. Threads are started from their bundles. */
function inPlace(outdir: string): Plugin {
  const addressOf = (path: string) => JSON.stringify(pathToFileURL(path).href)
  return {
    name: 'in-place',
    setup({ onLoad }) {
      onLoad({ filter: /\/(server|protocol|biometrics|cli|sdk)\/.*\.(ts|js)$/ }, ({ path }) => {
        if (path.includes('node_modules')) return undefined
        const contents = readFileSync(path, 'utf8')
          .replaceAll(/new URL\('\.\/([\w-]+)\.ts', import\.meta\.url\)/g, (url, thread: string) =>
            thread in THREADS ? `new URL(${addressOf(join(outdir, `${thread}.mjs`))})` : url,
          )
          .replaceAll('import.meta.url', addressOf(path))
        return { contents, loader: path.endsWith('.ts') ? 'ts' : 'js', resolveDir: dirname(path) }
      })
    },
  }
}
