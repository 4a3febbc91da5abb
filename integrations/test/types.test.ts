import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'

test('examples and tests compile against the types of the frameworks', () => {
  const directory = fileURLToPath(new URL('../', import.meta.url))
  const compiler = fileURLToPath(new URL('../../node_modules/.bin/tsc', import.meta.url))
  const { status, stdout } = spawnSync(compiler, ['--noEmit'], { cwd: directory, encoding: 'utf8' })
  assert.equal(status, 0, stdout)
})
