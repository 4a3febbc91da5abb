import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'

const ROOT = new URL('../../', import.meta.url)
/** The folders that paths in ARCHITECTURE.md are relative to. */
const BASES = [
  '',
  'server/src/',
  'server/src/operations/',
  'server/src/store/',
  'server/src/deployment/',
  'cli/src/',
  'protocol/',
  'web/',
]
const CODE_PATH = /`([a-z][\w-]*\/[\w./-]*|[a-z-]+\.ts)`/g

test('the README fits 130 lines', () => {
  assert.ok(readFileSync(new URL('README.md', ROOT), 'utf8').split('\n').length <= 131)
})

test('every path in ARCHITECTURE.md exists', () => {
  const page = readFileSync(new URL('ARCHITECTURE.md', ROOT), 'utf8')
  const paths = [...page.matchAll(CODE_PATH)].map(([, path = '']) => path)
  assert.ok(paths.length > 60)
  const missing = paths.filter(
    (path) => !BASES.some((base) => exists(base + path) || exists(`${base}${path}.ts`)),
  )
  assert.deepEqual(missing, [])
})

test('every runtime dependency has a reason in decision 2', () => {
  const page = readFileSync(new URL('docs/decisions/0002-few-dependencies.md', ROOT), 'utf8')
  const rows = page.split('\n').filter((line) => line.startsWith('| '))
  const reasoned = rows.flatMap((row) => (row.split(' | ')[0] ?? '').slice(2).split(', '))
  const used = ['protocol', 'biometrics', 'server', 'cli', 'sdk/node'].flatMap((folder) => {
    const { dependencies = {} } = JSON.parse(readFileSync(new URL(`${folder}/package.json`, ROOT), 'utf8'))
    return Object.keys(dependencies).filter((name) => !name.startsWith('@deputize/'))
  })
  assert.deepEqual(reasoned.filter((name) => name !== 'package').sort(), [...new Set(used)].sort())
})

function exists(path: string): boolean {
  return existsSync(fileURLToPath(new URL(path, ROOT)))
}
