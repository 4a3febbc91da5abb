import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { temporaryDirectory } from '@deputize/testing/scope.ts'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))

/** The files that the steps touch, and those that the service needs to run. */
const COPIED = [
  'package.json',
  'biome.json',
  '.gitignore',
  'tsconfig.json',
  'openapi.json',
  'docs/reference/roles.md',
  'protocol/package.json',
  'protocol/src',
  'protocol/build',
  'biometrics/package.json',
  'biometrics/src',
  'server/package.json',
  'server/src',
  'server/migrations',
  'server/policies',
  'testing',
  'web/dist',
  'sdk/node/package.json',
  'sdk/node/src',
  'sdk/node/build',
  'sdk/python/generate.py',
  'sdk/python/deputize',
]

/** Copies the tree, so that its packages refer to each other and not to the originals. */
function aCopy(directory: string): string {
  for (const path of COPIED) cpSync(join(ROOT, path), join(directory, path), { recursive: true })
  const modules = join(directory, 'node_modules')
  mkdirSync(join(modules, '@deputize'), { recursive: true })
  for (const name of readdirSync(join(ROOT, 'node_modules')))
    if (name !== '@deputize') symlinkSync(join(ROOT, 'node_modules', name), join(modules, name))
  for (const [name, path] of Object.entries({
    protocol: 'protocol',
    biometrics: 'biometrics',
    server: 'server',
    testing: 'testing',
    sdk: 'sdk/node',
  }))
    symlinkSync(join(directory, path), join(modules, '@deputize', name))
  const include = ['protocol/src', 'protocol/build', 'server/src']
  writeFileSync(
    join(directory, 'tsconfig.part.json'),
    JSON.stringify({ extends: './tsconfig.json', include }),
  )
  return directory
}

/** The code blocks of the section, by the comment in their first line. */
function steps(): Map<string, string> {
  const text = readFileSync(join(ROOT, 'CONTRIBUTING.md'), 'utf8')
  const [, section = ''] = /## Adding an endpoint\n(.*?)\n## /s.exec(text) ?? []
  const blocks = [...section.matchAll(/ {3}```ts\n(.*?) {3}```/gs)].map(([, block = '']) =>
    block.replaceAll(/^ {3}/gm, ''),
  )
  return new Map(blocks.map((block) => [block.slice('// '.length, block.indexOf('\n')), block]))
}

test('an endpoint added by following CONTRIBUTING.md compiles, is documented and answers', {
  timeout: 280_000,
}, (context) => {
  const directory = aCopy(temporaryDirectory(context))
  const at = (path: string) => join(directory, path)
  const blocks = steps()

  function run(...args: string[]): { status: number | null; output: string } {
    const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd: directory, encoding: 'utf8' })
    return { status, output: stdout + stderr }
  }
  const types = () =>
    run(
      join(dirname(fileURLToPath(import.meta.resolve('typescript/package.json'))), 'bin/tsc'),
      '--noEmit',
      '--incremental', // the second run checks only what the first one did not
      '--tsBuildInfoFile',
      'types.tsbuildinfo',
      '-p',
      'tsconfig.part.json',
    )
  function write(path: string): void {
    const block = blocks.get(path)
    assert.ok(block, `CONTRIBUTING.md has no block for ${path}`)
    writeFileSync(at(path), block)
  }
  function enlist(path: string): void {
    const text = readFileSync(at(path), 'utf8')
    const listed = text.replace(/^(export const \w+ = \{\n)/m, '$1  getTime,\n')
    assert.notEqual(listed, text)
    writeFileSync(at(path), `import { getTime } from './get-time.ts'\n${listed}`)
  }

  write('protocol/src/api/deployment/get-time.ts')
  enlist('protocol/src/api/deployment/index.ts')
  const missing = types()
  assert.notEqual(missing.status, 0)
  assert.match(missing.output, /getTime/)

  write('server/src/operations/deployment/get-time.ts')
  enlist('server/src/operations/deployment/index.ts')
  assert.deepEqual(types(), { status: 0, output: '' })

  const place = 'protocol/build/story.ts, in describeTheService'
  const [, call = ''] = blocks.get(place)?.split('\n') ?? []
  const story = readFileSync(at('protocol/build/story.ts'), 'utf8')
  const told = story.replace(/^(async function describeTheService.*\n)/m, `$1  ${call}\n`)
  assert.notEqual(told, story)
  writeFileSync(at('protocol/build/story.ts'), told)

  const generated = run('protocol/build/generate.ts')
  assert.equal(generated.status, 0, generated.output)
  for (const [path, text] of [
    ['openapi.json', '"operationId": "getTime"'],
    ['docs/reference/roles.md', '`getTime`'],
    ['sdk/node/src/generated/operations.ts', 'getTime: OptionalCall'],
    ['sdk/python/deputize/_generated.py', 'def get_time'],
    ['protocol/src/api/generated/examples.ts', 'getTime: { response: { now:'],
  ] as const)
    assert.ok(readFileSync(at(path), 'utf8').includes(text), path)

  writeFileSync(
    at('call.ts'),
    `import { aTestApp } from '@deputize/testing/a-test-app.ts'
const cleanings: (() => void | Promise<void>)[] = []
const { get } = await aTestApp({ after: (clean) => void cleanings.unshift(clean) })
console.log(JSON.stringify((await get('/v1/vat/time')).body))
for (const clean of cleanings) await clean()
`,
  )
  assert.deepEqual(run('call.ts'), { status: 0, output: '{"now":"2027-01-01T00:00:00.000Z"}\n' })
})
