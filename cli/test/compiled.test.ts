import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, readdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { describe, type TestContext, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { temporaryDirectory } from '@deputize/testing/scope.ts'

const CLI = fileURLToPath(new URL('../bin/deputy.js', import.meta.url))

/** Runs a command that ends at once, in `cwd`, with nothing else of this machine's user. */
function run(cwd: string, env: Record<string, string>): void {
  const path = process.env.PATH ?? ''
  const { status } = spawnSync(process.execPath, [CLI, '--help'], { cwd, env: { PATH: path, ...env } })
  assert.equal(status, 0)
}

/** A folder for caches, and in it the one of the command, which others may have made before. */
function aCache(context: TestContext, mode: number | undefined) {
  const home = temporaryDirectory(context)
  const folder = join(home, 'deputy')
  if (mode !== undefined) mkdirSync(folder)
  if (mode !== undefined) chmodSync(folder, mode)
  return { home, folder }
}

// The cache is executed, so a user who can write to it can run code as this user.
describe('the compile cache', () => {
  for (const mode of [undefined, 0o700, 0o755])
    test(`is used where only this user can write: ${mode?.toString(8) ?? 'a new folder'}`, (context) => {
      const { home, folder } = aCache(context, mode)
      run(home, { XDG_CACHE_HOME: home })
      assert.equal(readdirSync(folder).length, 1)
    })

  for (const mode of [0o777, 0o1777, 0o775])
    test(`is not used where others can write: ${mode.toString(8)}`, (context) => {
      const { home, folder } = aCache(context, mode)
      run(home, { XDG_CACHE_HOME: home })
      assert.deepEqual(readdirSync(folder), [])
    })

  test('is not used where others can replace the folder', (context) => {
    const { home, folder } = aCache(context, 0o700)
    chmodSync(home, 0o777)
    run(home, { XDG_CACHE_HOME: home })
    assert.deepEqual(readdirSync(folder), [])
    chmodSync(home, 0o1777)
    run(home, { XDG_CACHE_HOME: home })
    assert.equal(readdirSync(folder).length, 1)
  })

  test('is not used behind a symbolic link', (context) => {
    const { home, folder } = aCache(context, undefined)
    const elsewhere = temporaryDirectory(context)
    symlinkSync(elsewhere, folder)
    run(home, { XDG_CACHE_HOME: home })
    assert.deepEqual(readdirSync(elsewhere), [])
  })

  test('is not used in the current folder', (context) => {
    const cwd = temporaryDirectory(context)
    const home = temporaryDirectory(context)
    run(cwd, { XDG_CACHE_HOME: 'cache', HOME: home })
    run(cwd, { HOME: 'home' })
    assert.deepEqual(readdirSync(cwd), [])
    assert.ok(existsSync(join(home, '.cache/deputy')))
  })
})
