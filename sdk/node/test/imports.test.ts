import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { describe, test } from 'node:test'
import { importsIn, REPOSITORY } from '@deputize/testing/source-imports.ts'
import { ENTRIES } from '../build/bundle.ts'

const SOURCE = join(REPOSITORY, 'sdk/node/src')

/** The adapters for agent frameworks. They do not import the frameworks. */
const FOR_TOOLS = ['ai', 'langchain', 'openai-agents']

interface Reached {
  readonly files: Set<string>
  readonly packages: Map<string, string>
}

/** Returns every file and package that a file needs at run time. Type-only imports do not count. */
function reach(file: string, seen: Reached = { files: new Set(), packages: new Map() }): Reached {
  if (seen.files.has(file)) return seen
  seen.files.add(file)
  for (const { specifier, is_type_only } of importsIn(file)) {
    if (is_type_only) continue
    if (specifier.startsWith('.')) reach(resolve(dirname(file), specifier), seen)
    else seen.packages.set(specifier, relative(REPOSITORY, file))
  }
  return seen
}

const reachedBy = (name: string) => reach(join(SOURCE, `${name}.ts`))

describe('the sources of the SDK', () => {
  test('import nothing from the server', () => {
    const files = Object.values(ENTRIES).flatMap((name) => [...reachedBy(name).files])
    assert.deepEqual(
      files
        .map((file) => relative(REPOSITORY, file))
        .filter((file) => !/^(sdk\/node|protocol)\/src\//.test(file)),
      ['web/dist/widget.js'], // the element, built for browsers
    )
  })

  test('need only bundled, replaced or declared packages, and only node:stream from Node, for Fastify', () => {
    const bundled = ['#sha256', '@noble/hashes/sha2.js', 'canonicalize', 'node:crypto']
    for (const name of ['index', 'express', 'hono', 'widget', ...FOR_TOOLS])
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

/** Returns the exports of a file: declared there, or re-exported from another file of the SDK. */
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

describe('every export of the SDK', () => {
  test('has a doc comment', () => {
    const all = Object.values(ENTRIES).flatMap(exportsOf)
    assert.ok(all.some(({ exported }) => exported === 'DeputyOptions') && all.length > 50, String(all.length))
    const undocumented = all.filter(({ file, exported }) => {
      const source = readFileSync(join(SOURCE, `${file}.ts`), 'utf8')
      const declared = `export (?:async )?(?:function|interface|class|type|const) ${exported}\\b`
      return !new RegExp(`\\*/\\n${declared}`).test(source)
    })
    assert.deepEqual(undocumented, [])
  })
})
