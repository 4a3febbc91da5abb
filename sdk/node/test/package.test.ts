import assert from 'node:assert/strict'
import { execFile, execFileSync, spawnSync } from 'node:child_process'
import {
  copyFileSync,
  existsSync,
  globSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { newAgentKey } from '@deputize/sdk'
import { aKeyedDeployment, anOpenDeployment } from '@deputize/testing/a-deployment.ts'
import { anInstalledPackage, hostNode } from '@deputize/testing/a-package.ts'
import { CONTEXT, OPTIONS, protocolVerdict, TOKENS } from '@deputize/testing/sdk-vectors.ts'
import { ENTRIES } from '../build/bundle.ts'

const ROOT = fileURLToPath(new URL('../../../', import.meta.url))
const CONSUMER = fileURLToPath(new URL('consumer/', import.meta.url))
const QUICK_START = 'quick-start.mjs'
const GUIDE = join(ROOT, 'docs/guides/sdk-node.md')

const run = promisify(execFile)
const { folder, tarball } = anInstalledPackage({ after })
const installed = join(folder, 'node_modules/@deputize/sdk')
const NODES = [...new Set([hostNode(), process.execPath])]

/** Runs a script in the user's folder and returns its output. */
async function runScript(node: string, name: string, ...args: string[]): Promise<string> {
  if (name !== QUICK_START) copyFileSync(join(CONSUMER, name), join(folder, name))
  const { stdout } = await run(node, ['--no-warnings', name, ...args], { cwd: folder, maxBuffer: 2 ** 26 })
  return stdout
}

/** Links packages as if the user had installed them. */
function linkPackages(...names: string[]): void {
  for (const name of names) {
    const place = join(folder, 'node_modules', name)
    if (!existsSync(place)) symlinkSync(join(ROOT, 'node_modules', name), place)
  }
}

describe('the package', () => {
  test('contains compiled files, declarations and licences, and is small', () => {
    const files = globSync('**/*', { cwd: installed }).filter((path) =>
      statSync(join(installed, path)).isFile(),
    )
    const others = files.filter((path) => !/^dist\/[\w/-]+\.(js|d\.ts)$/.test(path)).sort()
    assert.deepEqual(others, ['LICENSE', 'README.md', 'THIRD-PARTY.md', 'package.json'])
    // 24 kB is the widget, loaded only by pages that import it. Half is the types of every call, answer and event.
    assert.ok(statSync(tarball).size < 225_000, String(statSync(tarball).size))
    assert.doesNotMatch(files.join('\n'), /test|build|portable|\.kept/)
  })

  test('has no dependencies and contains nothing from the server', () => {
    const manifest = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8'))
    for (const name of ['dependencies', 'devDependencies', 'optionalDependencies', 'scripts'])
      assert.equal(manifest[name], undefined, name)
    assert.deepEqual(Object.keys(manifest.peerDependencies), ['@opentelemetry/api'])
    assert.deepEqual(manifest.peerDependenciesMeta, { '@opentelemetry/api': { optional: true } })
    assert.deepEqual(Object.keys(manifest.exports), Object.keys(ENTRIES))
    assert.deepEqual(
      globSync('node_modules/{*,@*/*}', { cwd: folder }).filter((path) => !/@deputize$/.test(path)),
      ['node_modules/@deputize/sdk'],
    )
  })

  test('imports only itself, node:stream for Fastify, and the OpenTelemetry API', () => {
    const specifiers = globSync('dist/**/*.js', { cwd: installed }).flatMap((path) =>
      [
        ...readFileSync(join(installed, path), 'utf8').matchAll(
          /^(?:import|export)\b[^;]*?from "([^"]+)"/gms,
        ),
      ].map(([, specifier = '']) => ({ path, specifier })),
    )
    assert.ok(specifiers.length > 3)
    const foreign = specifiers.filter(({ specifier }) => !/^\.\.?\//.test(specifier))
    assert.deepEqual(
      foreign.sort((one, other) => one.path.localeCompare(other.path)),
      [
        { path: 'dist/fastify.js', specifier: 'node:stream' },
        { path: 'dist/opentelemetry.js', specifier: '@opentelemetry/api' },
      ],
    )
  })

  test('uses only the implemented parts of its Node replacements', () => {
    const text = globSync('dist/**/*.js', { cwd: installed })
      .map((path) => readFileSync(join(installed, path), 'utf8'))
      .join('\n')
    const members = [...text.matchAll(/\bBuffer\.(\w+)/g)].map(([, member]) => member)
    assert.deepEqual([...new Set(members)].sort(), ['byteLength', 'from'])
    assert.doesNotMatch(text, /\brequire\(|\bprocess\.(env|version)|__dirname/)
  })

  test('has types that compile without any other package', () => {
    copyFileSync(join(CONSUMER, 'user.ts'), join(folder, 'user.ts'))
    compile('user.ts', [
      '--types',
      '',
      '--lib',
      'es2022,dom,dom.iterable,dom.asynciterable',
      '--skipLibCheck',
      'false',
    ])
  })

  test("has types that the guide's code compiles with", () => {
    const blocks = [...readFileSync(GUIDE, 'utf8').matchAll(/^```ts\n([\s\S]*?)^```$/gm)]
    assert.equal(blocks.length, 7)
    copyFileSync(join(CONSUMER, 'guide.d.ts'), join(folder, 'guide.d.ts'))
    linkPackages('fastify', 'express', '@types')
    for (const [index, [, block = '']] of blocks.entries()) {
      const name = `guide-${index}.ts`
      writeFileSync(join(folder, name), block)
      const isWhole = /from '(express|fastify)'/.test(block) // these blocks assume nothing
      compile(name, [
        ...(isWhole
          ? ['--types', 'node', '--lib', 'es2024']
          : ['--types', '', '--lib', 'es2022,dom', 'guide.d.ts']),
        '--skipLibCheck',
      ])
    }
  })

  test('has types that fit the frameworks', () => {
    linkPackages('fastify', 'hono', 'express', '@types', '@opentelemetry')
    copyFileSync(join(CONSUMER, 'frameworks.ts'), join(folder, 'frameworks.ts'))
    compile('frameworks.ts', ['--types', 'node', '--lib', 'es2024', '--skipLibCheck'])
    const guide = readFileSync(join(ROOT, 'docs/guides/opentelemetry.md'), 'utf8')
    const [, block = ''] = /^```ts\n([\s\S]*?)^```$/m.exec(guide) ?? []
    assert.match(block, /openTelemetry/)
    writeFileSync(join(folder, 'opentelemetry.ts'), block)
    compile('opentelemetry.ts', ['--types', 'node', '--lib', 'es2024', '--skipLibCheck'])
  })
})

function compile(name: string, options: readonly string[]): void {
  const shared = ['--noEmit', '--strict', '--exactOptionalPropertyTypes', '--noUncheckedIndexedAccess']
  const modules = ['--module', 'nodenext', '--moduleResolution', 'nodenext', '--target', 'es2022']
  const tsc = join(ROOT, 'node_modules/.bin/tsc')
  const { status, stdout } = spawnSync(tsc, [...shared, ...modules, ...options, name], {
    cwd: folder,
    encoding: 'utf8',
  })
  assert.equal(status, 0, stdout)
}

for (const node of NODES)
  describe(`the package on Node ${execFileSync(node, ['--version'], { encoding: 'utf8' }).trim()}`, async () => {
    const open = await anOpenDeployment({ after })

    async function runFirstBlock(page: string): Promise<string> {
      const [, block = ''] = /^```js\n([\s\S]*?)^```$/m.exec(readFileSync(page, 'utf8')) ?? []
      writeFileSync(join(folder, QUICK_START), block.replace('http://127.0.0.1:8420', open.url))
      return runScript(node, QUICK_START)
    }

    test("runs the README's example unchanged", async () => {
      const output = await runFirstBlock(join(ROOT, 'sdk/node/README.md'))
      assert.equal(output, "[ 'stand-up', 'lunch' ]\n")
    })

    test("runs the guide's quick start unchanged", async () => {
      const output = await runFirstBlock(GUIDE)
      assert.match(output, /3 events/)
      assert.match(output, /action_not_in_scope/)
      assert.match(output, /read calendar:events success/)
    })

    test('creates spans with the OpenTelemetry API and an SDK', async () => {
      linkPackages('@opentelemetry')
      const { compact_jwt } = await open.token()
      const output = await runScript(node, 'opentelemetry.mjs', open.url, compact_jwt)
      const { name, trace_id, recorded } = JSON.parse(output)
      assert.equal(name, 'execute_tool read')
      assert.equal(trace_id, recorded)
    })

    test('verifies every token in the shared vectors like the protocol', async () => {
      const { clock: _, ...options } = OPTIONS
      writeFileSync(
        join(folder, 'vectors.json'),
        JSON.stringify({ tokens: TOKENS, options, now_s: CONTEXT.now_s }),
      )
      const output = await runScript(node, 'vectors.mjs')
      const expected = JSON.parse(JSON.stringify(TOKENS.map((jwt) => protocolVerdict(jwt, CONTEXT))))
      assert.deepEqual(JSON.parse(output), expected)
    })

    test('guards a route with proofs, in keyed mode', async () => {
      const keyed = await aKeyedDeployment({ after })
      const audience = 'https://calendar.example'
      const key = await keyed.resourceServerKey(audience)
      for (const alg of ['EdDSA', 'ES256'] as const) {
        const agent_key = await newAgentKey({ alg })
        const { compact_jwt } = await keyed.token({ audience, agent_jwk: agent_key.jwk })
        const settings = { url: keyed.url, key, audience, compact_jwt, jwk: await agent_key.exportJwk() }
        const output = await runScript(node, 'guard.mjs', JSON.stringify(settings))
        assert.deepEqual(JSON.parse(output), { statuses: [200, 401, 403], agent_id: 'agent:calendar-bot' })
      }
    })
  })
