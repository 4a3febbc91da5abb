import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, test } from 'node:test'
import { temporaryDirectory } from '@deputize/testing/scope.ts'
import { ExpectedFailure } from '../src/expected-failure.ts'
import { assertOpenFiles, connectionsWithin } from '../src/open-files.ts'
import { startProblem } from '../src/start-problem.ts'
import { DirectoryInUse, lockDataDirectory } from '../src/store/sqlite/directory-lock.ts'

const PLACE = { host: '127.0.0.1', port: 80, data_dir: '/srv/deputy' }

function systemError(code: string, syscall: string): Error {
  return Object.assign(new Error(`${syscall} ${code}`), { code, syscall })
}

function sqliteError(errcode: number, message: string): Error {
  return Object.assign(new Error(message), { code: 'ERR_SQLITE_ERROR', errcode })
}

describe('a start that fails names the cause and what to change', () => {
  const cases: readonly [name: string, error: Error, says: RegExp][] = [
    ['the port needs more rights', systemError('EACCES', 'listen'), /may not listen on port 80 .*Set PORT/],
    ['the address is another machine', systemError('EADDRNOTAVAIL', 'listen'), /HOST=127\.0\.0\.1 is not an/],
    ['the host name is unknown', systemError('ENOTFOUND', 'getaddrinfo'), /HOST=127\.0\.0\.1 has no address/],
    ['the port is in use', systemError('EADDRINUSE', 'listen'), /Port 80 on 127\.0\.0\.1 is in use/],
    [
      'the directory may not be written',
      systemError('EACCES', 'mkdir'),
      /can't access \/srv\/deputy .*owner/,
    ],
    ['the directory can not exist', systemError('ENOENT', 'mkdir'), /\/srv\/deputy can't be created .*disk/],
    ['the disk is read-only', systemError('EROFS', 'open'), /\/srv\/deputy is read-only .*Mount it/],
    ['the store may not be opened', sqliteError(14, 'unable to open'), /can't access \/srv\/deputy .*owner/],
    ['the store is read-only', sqliteError(8 | (1 << 8), 'readonly'), /can't access \/srv\/deputy .*owner/],
    ['the disk is full', sqliteError(13, 'full'), /disk of \/srv\/deputy is full .*Free space/],
    ['a file cannot grow', systemError('ENOSPC', 'write'), /disk of \/srv\/deputy is full/],
    [
      'the store is damaged',
      sqliteError(11, 'malformed'),
      /store in \/srv\/deputy is damaged.*deputy restore/,
    ],
    ['an expected failure', new ExpectedFailure('Do this.'), /^Do this\.$/],
  ]
  for (const [name, error, says] of cases)
    test(`when ${name}, with exit code 78`, () => {
      const { text, exit_code } = startProblem(error, PLACE)
      assert.match(text, says)
      assert.equal(exit_code, 78)
    })

  test('or reports any other error as a failure, with exit code 70', () => {
    assert.deepEqual(startProblem(new Error('a bug'), PLACE), { text: 'a bug', exit_code: 70 })
  })

  test('when the operating system raises the error', async () => {
    const server = createServer()
    const error = await new Promise<Error>((resolve) => {
      server.once('error', resolve)
      server.listen(0, '192.0.2.1') // an address for documentation, which no machine has
    })
    assert.match(startProblem(error, PLACE).text, /is not an address of this machine/)
  })
})

describe('the limit of open files', () => {
  test('leaves room for the files of the service, and is refused if it is too low', () => {
    assert.equal(connectionsWithin(4_000, 0, undefined), 4_000)
    assert.equal(connectionsWithin(4_000, 0, 65_536), 4_000)
    assert.equal(connectionsWithin(4_000, 100, 1_024), 1_024 - 512 - 100)
    assert.equal(connectionsWithin(4_000, 1_000, 1_024), 256, 'a large pool does not lock callers out')
    assertOpenFiles(768)
    assertOpenFiles(undefined)
    assert.throws(() => assertOpenFiles(767), /may open 767 files .*LimitNOFILE/)
  })
})

describe('the lock of a data directory', () => {
  test('reports that another process uses the directory only if one does', (t) => {
    const directory = temporaryDirectory(t)
    const other = new DatabaseSync(join(directory, 'deputy.lock'))
    other.exec('BEGIN EXCLUSIVE')
    assert.throws(() => lockDataDirectory(directory), DirectoryInUse)
    other.close()
    lockDataDirectory(directory).release()
    writeFileSync(join(directory, 'deputy.lock'), 'no database'.repeat(1000))
    assert.throws(
      () => lockDataDirectory(directory),
      (error) => !(error instanceof DirectoryInUse),
    )
  })
})
