import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { describe, test } from 'node:test'
import { fileURLToPath } from 'node:url'

const ROOT = new URL('../../', import.meta.url)
const ROW = /^\| (T\d+) \|.*\| `([^`]+)`: "([^"]+)" \|$/gm

const page = readFileSync(new URL('docs/guides/threats.md', ROOT), 'utf8')
const rows = [...page.matchAll(ROW)].map(([, no = '', file = '', name = '']) => ({ no, file, name }))

describe('the page of threats', () => {
  test('rows are numbered without a gap, and each names a test', () => {
    assert.equal(page.match(/^\| T\d+ /gm)?.length, rows.length)
    assert.deepEqual(
      rows.map(({ no }) => no),
      rows.map((_, index) => `T${index + 1}`),
    )
    assert.ok(rows.length >= 40)
  })

  test('every named test exists', () => {
    for (const { no, file, name } of rows) assertTest(no, file, name)
  })
})

describe('the table of faults', () => {
  const guarantees = readFileSync(new URL('docs/reference/guarantees.md', ROOT), 'utf8')
  const faults = [...guarantees.matchAll(/^\| (F\d+) \|.*\| ([^|]+) \|$/gm)].map(
    ([, no = '', tests = '']) => ({
      no,
      named: [...tests.matchAll(/`([^`]+)`: "([^"]+)"/g)],
    }),
  )

  test('has rows without a gap, and every named test exists', () => {
    assert.deepEqual(
      faults.map(({ no }) => no),
      Array.from({ length: 16 }, (_, index) => `F${index + 1}`),
    )
    for (const { no, named } of faults) {
      assert.ok(named.length > 0, no)
      for (const [, file = '', name = ''] of named) assertTest(no, file, name)
    }
  })
})

function assertTest(no: string, file: string, name: string): void {
  const path = fileURLToPath(new URL(file, ROOT))
  assert.ok(existsSync(path), `${no}: there is no ${file}`)
  // A name is in a call of `test` or `describe`, or the key of a table of test cases.
  const source = readFileSync(path, 'utf8')
  const quoted = name.includes("'") ? `"${name}"` : `'${name}'`
  const isNamed = [`test(${quoted}`, `describe(${quoted}`, `${quoted}: `].some((text) =>
    source.includes(text),
  )
  assert.ok(isNamed, `${no}: ${file} has no test "${name}"`)
}

test('every test named in SECURITY.md exists', () => {
  const security = readFileSync(new URL('SECURITY.md', ROOT), 'utf8')
  const paths = [...security.matchAll(/`((?:server|protocol|cli|sdk|vectors)\/[^`]+)`/g)].map(
    ([, path = '']) => path,
  )
  assert.ok(paths.length > 50)
  for (const path of paths) assert.ok(existsSync(fileURLToPath(new URL(path, ROOT))), `there is no ${path}`)
})
