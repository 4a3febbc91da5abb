import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { describe, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { startProgram } from '@deputize/testing/program.ts'
import { temporaryDirectory } from '@deputize/testing/scope.ts'

const CLI = fileURLToPath(new URL('../bin/deputy.js', import.meta.url))

function deputy(...args: string[]) {
  return spawnSync(process.execPath, [CLI, ...args], {
    encoding: 'utf8',
    env: { PATH: process.env.PATH ?? '' },
  })
}

describe('the deputy command', () => {
  test('prints help', () => {
    const { status, stdout } = deputy('--help')
    assert.equal(status, 0)
    assert.match(stdout, /start/)
  })

  test('prints its version', () => {
    const { status, stdout } = deputy('version')
    assert.equal(status, 0)
    assert.match(stdout, /^\d+\.\d+\.\d+\S*\n$/)
  })

  test('starts the service with the given options and exits cleanly', async (context) => {
    const directory = temporaryDirectory(context)
    const program = await startProgram('/nowhere', {}, [
      process.execPath,
      CLI,
      'start',
      '--port',
      '0',
      '--data',
      directory,
    ])
    assert.equal((await fetch(`${program.url}/readyz`)).status, 200)
    assert.ok(program.output().includes(directory))
    assert.equal(await program.stop(), 0)
  })

  test('lists all invalid settings at once and exits with 78', () => {
    const { status, stderr } = deputy('start', '--port', 'abc', '--host', '0.0.0.0')
    assert.equal(status, 78)
    assert.match(stderr, /PORT=abc/)
    assert.match(stderr, /HOST=0\.0\.0\.0/)
  })
})
