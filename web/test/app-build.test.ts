import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { describe, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { APP_FOLDER, buildDashboard } from '../build.ts'

const FIRST_LOAD_BYTES = 60 * 1024

const textOf = (name: string) => readFileSync(`${APP_FOLDER}/${name}`, 'utf8')
const { script, files } = JSON.parse(textOf('index.json')) as { script: string; files: string[] } // we wrote it

/** A script and everything that it imports before it runs. */
function loadedFirst(name: string, seen = new Set<string>()): Set<string> {
  if (seen.has(name)) return seen
  seen.add(name)
  for (const [, next = ''] of textOf(name).matchAll(/(?:from|import)"\.\/([\w-]+\.js)"/g))
    loadedFirst(next, seen)
  return seen
}

describe('the dashboard in dist', () => {
  test('is exactly what its sources build', async () => {
    const built = await buildDashboard()
    assert.deepEqual(readdirSync(APP_FOLDER).sort(), [...built.keys()].sort(), 'run: node web/build.ts')
    for (const [name, text] of built) assert.equal(textOf(name), text, `${name}: run: node web/build.ts`)
  })

  test('loads at most 60 KB of compressed script before the first screen', () => {
    const first = [...loadedFirst(script)]
    const bytes = first.reduce((sum, name) => sum + gzipSync(textOf(name)).length, 0)
    assert.ok(bytes <= FIRST_LOAD_BYTES, `${bytes} bytes in ${first.join(', ')}`)
    assert.ok(files.some((name) => /^graph-view-/.test(name) && !first.includes(name)))
  })

  test('never evaluates text, and never inserts text as markup', () => {
    for (const name of files.filter((one) => one.endsWith('.js')))
      assert.doesNotMatch(textOf(name), /\beval\(|new Function\(|insertAdjacentHTML|document\.write/, name)
  })
})
