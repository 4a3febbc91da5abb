import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { describe, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { ENTRIES } from '../build/bundle.ts'

const ROOT = fileURLToPath(new URL('../../../', import.meta.url))
const SOURCE = join(ROOT, 'sdk/node/src')
const IMPORT = /^(?:import|export)\s+(type\s+)?[^'"]*?from\s+'([^']+)'/gm

/** The adapters for agent frameworks. They import none of them. */
const FOR_TOOLS = ['ai', 'langchain', 'openai-agents']

interface Reached {
  readonly files: Set<string>
  readonly packages: Map<string, string>
}

/** Everything that a file needs to run, through every file that it imports. Types need nothing. */
function reach(file: string, seen: Reached = { files: new Set(), packages: new Map() }): Reached {
  if (seen.files.has(file)) return seen
  seen.files.add(file)
  for (const [, type, target = ''] of readFileSync(file, 'utf8').matchAll(IMPORT)) {
    if (type !== undefined) continue
    if (target.startsWith('.')) reach(resolve(dirname(file), target), seen)
    else seen.packages.set(target, relative(ROOT, file))
  }
  return seen
}

const reachedBy = (name: string) => reach(join(SOURCE, `${name}.ts`))

describe('the sources of the SDK', () => {
  test('need nothing of the server', () => {
    const files = Object.values(ENTRIES).flatMap((name) => [...reachedBy(name).files])
    assert.deepEqual(
      files.map((file) => relative(ROOT, file)).filter((file) => !/^(sdk\/node|protocol)\/src\//.test(file)),
      [],
    )
  })

  test('need no package but what is bundled, replaced or asked for by name, and nothing of Node but the streams for Fastify', () => {
    const bundled = ['#sha256', '@noble/hashes/sha2.js', 'canonicalize', 'node:crypto']
    for (const name of ['index', 'express', 'hono', ...FOR_TOOLS])
      assert.deepEqual(
        [...reachedBy(name).packages.keys()].filter((one) => !bundled.includes(one)),
        [],
        name,
      )
    const forFastify = [...reachedBy('fastify').packages.keys()].filter((one) => !bundled.includes(one))
    assert.deepEqual(forFastify, ['node:stream'])
    assert.deepEqual([...reachedBy('opentelemetry').packages.keys()], ['@opentelemetry/api'])
    for (const [target, file] of reachedBy('hono').packages)
      if (target === 'node:crypto') assert.doesNotMatch(file, /^sdk/)
  })
})

/** What a file exports: declared there, or passed on from another file of the SDK. */
function exportsOf(name: string): { readonly file: string; readonly exported: string }[] {
  const source = readFileSync(join(SOURCE, `${name}.ts`), 'utf8')
  const own = [...source.matchAll(/^export (?:async )?(?:function|interface|class|type|const) (\w+)/gm)]
  const passed = [...source.matchAll(/^export (?:type )?\{([^}]*)\} from '\.\/([\w/-]+)\.ts'/gm)]
  return [
    ...own.map(([, exported = '']) => ({ file: name, exported })),
    ...passed.flatMap(([, names = '', file = '']) =>
      [...names.matchAll(/(?:type )?(\w+)/g)].map(([, exported = '']) => ({ file, exported })),
    ),
  ]
}

describe('what the SDK exports', () => {
  test('says in an editor what it is', () => {
    const all = Object.values(ENTRIES).flatMap(exportsOf)
    assert.ok(all.some(({ exported }) => exported === 'DeputyOptions') && all.length > 50, String(all.length))
    const silent = all.filter(({ file, exported }) => {
      const source = readFileSync(join(SOURCE, `${file}.ts`), 'utf8')
      const declared = `export (?:async )?(?:function|interface|class|type|const) ${exported}\\b`
      return !new RegExp(`\\*/\\n${declared}`).test(source)
    })
    assert.deepEqual(silent, [])
  })
})
