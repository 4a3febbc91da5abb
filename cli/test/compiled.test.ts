import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, type TestContext, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { temporaryDirectory } from '@deputize/testing/scope.ts'

const CLI = fileURLToPath(new URL('../bin/deputy.js', import.meta.url))
const PREPARE = fileURLToPath(new URL('../build/prepare.js', import.meta.url))

/** Runs a command that exits at once, in `cwd`, without other settings of this machine's user. */
function run(cwd: string, env: Record<string, string>): void {
  const path = process.env.PATH ?? ''
  const { status } = spawnSync(process.execPath, [CLI, '--help'], { cwd, env: { PATH: path, ...env } })
  assert.equal(status, 0)
}

/** A folder for caches, and the command's cache folder in it, which exists already if it has a `mode`. */
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
    test(`is used if only this user can write to it: ${mode?.toString(8) ?? 'a new folder'}`, (context) => {
      const { home, folder } = aCache(context, mode)
      run(home, { XDG_CACHE_HOME: home })
      assert.equal(readdirSync(folder).length, 1)
    })

  for (const mode of [0o777, 0o1777, 0o775])
    test(`is not used if other users can write to it: ${mode.toString(8)}`, (context) => {
      const { home, folder } = aCache(context, mode)
      run(home, { XDG_CACHE_HOME: home })
      assert.deepEqual(readdirSync(folder), [])
    })

  test('is not used if other users can replace the folder', (context) => {
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

/** A clone whose command prints what it has run. */
function aClone(context: TestContext) {
  const root = temporaryDirectory(context)
  const put = (file: string, text: string) => {
    mkdirSync(dirname(join(root, file)), { recursive: true })
    writeFileSync(join(root, file), text)
  }
  put('package.json', '{ "type": "module" }')
  put('cli/src/main.ts', "console.log('sources')")
  put('cli/src/other.ts', '')
  put('dist/main.js', "console.log('compiled')")
  mkdirSync(join(root, 'cli/bin'))
  copyFileSync(CLI, join(root, 'cli/bin/deputy.js'))
  const timeOf = (file: string) => [file, statSync(join(root, file)).mtimeMs]
  put(
    'dist/sources.json',
    JSON.stringify(Object.fromEntries(['cli/src/main.ts', 'cli/src/other.ts'].map(timeOf))),
  )
  const env = { PATH: process.env.PATH ?? '', XDG_CACHE_HOME: root }
  const ran = () =>
    spawnSync(process.execPath, [join(root, 'cli/bin/deputy.js')], { encoding: 'utf8', env }).stdout.trim()
  return { place: (file: string) => join(root, file), ran }
}

describe('the compiled program', () => {
  test('runs as long as no source has changed', (context) => {
    const { place, ran } = aClone(context)
    assert.equal(ran(), 'compiled')
    utimesSync(place('cli/src/other.ts'), new Date(), new Date(Date.now() + 1))
    assert.equal(ran(), 'sources')
  })

  test('does not run if a source is gone, or if its compilation never finished', (context) => {
    for (const gone of ['cli/src/other.ts', 'dist/sources.json']) {
      const { place, ran } = aClone(context)
      rmSync(place(gone))
      assert.equal(ran(), 'sources')
    }
  })

  test('always runs if there are no sources, as in the published package', (context) => {
    const { place, ran } = aClone(context)
    rmSync(place('cli/src'), { recursive: true })
    rmSync(place('dist/sources.json'))
    assert.equal(ran(), 'compiled')
  })
})

describe('npm ci', () => {
  test('succeeds even if the program cannot be compiled, and says what that means', (context) => {
    const folder = temporaryDirectory(context)
    copyFileSync(PREPARE, join(folder, 'prepare.js'))
    writeFileSync(join(folder, 'compile-clone.ts'), "import 'a-package-that-is-not-installed'")
    const { status, stdout } = spawnSync(process.execPath, [join(folder, 'prepare.js')], { encoding: 'utf8' })
    assert.equal(status, 0)
    assert.match(stdout, /^Deputy will start from its sources.*a-package-that-is-not-installed/)
  })
})
