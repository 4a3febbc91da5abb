/**
 * Writes the service of an earlier version as one archive that can be started from anywhere in this repository:
 *
 *   npx node server/test/upgrades/make-program.ts <checkout of the earlier version, with its packages>
 *
 * It contains all that a node on PostgreSQL needs. Pages for browsers are empty, and biometric checks are left out.
 */
import { execFileSync } from 'node:child_process'
import {
  cpSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build, type Plugin } from 'esbuild'

const THREADS: Readonly<Record<string, string>> = {
  'thread-worker': 'server/src/clerk/thread-worker.ts',
  'delivery-worker': 'server/src/events/thread/delivery-worker.ts',
  'scoring-worker': 'server/src/trust/scoring-worker.ts',
}
const COPIED = [
  'server/package.json',
  'server/migrations/postgres',
  'server/policies',
  'server/src/http/pages/api-reference-init.js',
]

/** Lists the files of the dashboard. */
const PAGES = 'web/dist/app/index.json'

const [given] = process.argv.slice(2)
if (given === undefined) throw new Error('Name the checkout of the earlier version.')
const checkout = resolve(given)
const root = mkdtempSync(join(tmpdir(), 'deputy-program-'))

try {
  for (const path of COPIED) cpSync(join(checkout, path), join(root, path), { recursive: true })
  for (const folder of ['docs/guides', 'docs/reference', 'web/dist/app'])
    mkdirSync(join(root, folder), { recursive: true })
  for (const path of globSync('web/dist/**/*.*', { cwd: checkout })) writeFileSync(join(root, path), '')
  cpSync(join(checkout, PAGES), join(root, PAGES))
  await build({
    absWorkingDir: checkout,
    entryPoints: { main: 'server/src/main.ts', ...THREADS },
    outdir: join(root, 'program'),
    outExtension: { '.js': '.mjs' },
    bundle: true,
    splitting: true,
    minify: true,
    format: 'esm',
    platform: 'node',
    target: 'node24',
    external: ['pg-native', '@scalar/fastify-api-reference', '@opentelemetry/api'],
    banner: {
      js: `import { createRequire as requireFrom } from 'node:module'; const require = requireFrom(import.meta.url), DEPUTY_ROOT = new URL('../', import.meta.url);`,
    },
    plugins: [movable()],
  })
  const schema = readdirSync(join(root, 'server/migrations/postgres')).length
  const target = fileURLToPath(new URL(`program-schema-${schema}.tgz`, import.meta.url))
  execFileSync('tar', ['-C', root, '-cf', `${root}.tar`, '.'])
  execFileSync('sh', ['-c', `gzip -9 --no-name < ${root}.tar > ${target}`])
  process.stdout.write(`${target}\n`)
} finally {
  rmSync(root, { recursive: true, force: true })
  rmSync(`${root}.tar`, { force: true })
}

/** Makes sources find the files next to them below the program's folder, wherever that is. */
function movable(): Plugin {
  return {
    name: 'movable',
    setup({ onLoad }) {
      onLoad({ filter: /\/(server|protocol|biometrics)\/.*\.(ts|js)$/ }, ({ path }) => {
        if (path.includes('node_modules')) return undefined
        const place = `new URL(${JSON.stringify(relative(checkout, path))}, DEPUTY_ROOT).href`
        const contents = readFileSync(path, 'utf8')
          .replaceAll(/new URL\('\.\/([\w-]+)\.ts', import\.meta\.url\)/g, (url, thread: string) =>
            thread in THREADS ? `new URL('program/${thread}.mjs', DEPUTY_ROOT)` : url,
          )
          .replaceAll('import.meta.url', place)
        return { contents, loader: path.endsWith('.ts') ? 'ts' : 'js', resolveDir: dirname(path) }
      })
    },
  }
}
