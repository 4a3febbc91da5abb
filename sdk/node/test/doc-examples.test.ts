import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { globSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, mock, test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { format } from 'node:util'
import { anOpenDeployment } from '@deputize/testing/a-deployment.ts'
import { REPOSITORY } from '@deputize/testing/source-imports.ts'

const SOURCE = join(REPOSITORY, 'sdk/node/src')
const EXAMPLE = /@example\n\s*\* ```ts\n([\s\S]*?)\n\s*\* ```/g

interface Example {
  /** The source, and the number of the example in it. */
  readonly name: string
  readonly code: string
}

const examples: readonly Example[] = globSync('**/*.ts', { cwd: SOURCE }).flatMap((path) =>
  [...readFileSync(join(SOURCE, path), 'utf8').matchAll(EXAMPLE)].map(([, block = ''], index) => ({
    name: `${path.replaceAll('/', '-').replace('.ts', '')}-${index + 1}`,
    code: `${block.replaceAll(/^\s*\* ?/gm, '')}\n`,
  })),
)

/** Functions that every user of the SDK calls. Each has an example in its doc comment. */
const WITH_EXAMPLES = [
  'deputy',
  'verifyToken',
  'tokenVerifier',
  'verifyReceipt',
  'newAgentKey',
  'importAgentKey',
  'resultHash',
  'isDeputyError',
  'isUnavailable',
  'openTelemetry',
]

const folder = mkdtempSync(join(tmpdir(), 'deputy-examples-'))
after(() => rmSync(folder, { recursive: true }))
symlinkSync(join(REPOSITORY, 'node_modules'), join(folder, 'node_modules'))
writeFileSync(join(folder, 'package.json'), '{"type":"module"}')
const deployment = await anOpenDeployment({ after })

function write({ name, code }: Example): string {
  const file = join(folder, `${name}.ts`)
  writeFileSync(file, `${code.replaceAll('http://127.0.0.1:8420', deployment.url)}export {}\n`)
  return file
}

/** Returns the output that an example promises: the comments after its `console.log` calls. */
function promised(code: string): string[] {
  return [...code.matchAll(/console\.log\(.*\) \/\/ (.*)$/gm)].map(([, text = '']) => text)
}

describe('the examples in the doc comments of the SDK', () => {
  test('exist for every function that users call, and for every adapter', () => {
    for (const name of WITH_EXAMPLES) {
      const documented = new RegExp(`@example[^]*?\\*/\\nexport (?:async )?function ${name}\\b`)
      const sources = globSync('**/*.ts', { cwd: SOURCE }).map((path) =>
        readFileSync(join(SOURCE, path), 'utf8'),
      )
      assert.ok(
        sources.some((text) => documented.test(text)),
        name,
      )
    }
    for (const adapter of ['express', 'fastify', 'hono', 'ai', 'langchain', 'openai-agents'])
      assert.ok(
        examples.some(({ name }) => name === `${adapter}-1`),
        adapter,
      )
  })

  test('compile', () => {
    const files = examples.map(write)
    const config = { extends: join(REPOSITORY, 'tsconfig.json'), files, include: [], exclude: [] }
    const options = {
      compilerOptions: { noUnusedLocals: false, typeRoots: [join(REPOSITORY, 'node_modules/@types')] },
    }
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ ...config, ...options }))
    const tsc = join(REPOSITORY, 'node_modules/.bin/tsc')
    const { status, stdout } = spawnSync(tsc, ['-p', folder], { encoding: 'utf8' })
    assert.equal(status, 0, stdout)
  })

  for (const example of examples)
    test(`${example.name} runs and prints what its comments say`, async () => {
      const printed: string[] = []
      const log = mock.method(console, 'log', (...values: unknown[]) => printed.push(format(...values)))
      try {
        await import(pathToFileURL(write(example)).href)
      } finally {
        log.mock.restore()
      }
      assert.deepEqual(printed, promised(example.code))
    })
})
