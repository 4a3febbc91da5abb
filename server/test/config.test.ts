import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { ConfigError, readConfig } from '../src/config.ts'

function problemsOf(env: Record<string, string>): readonly string[] {
  try {
    readConfig(env)
    return []
  } catch (error) {
    assert.ok(error instanceof ConfigError)
    return error.problems
  }
}

describe('the settings', () => {
  test('need not be given', () => {
    const { host, port, access } = readConfig({})
    assert.deepEqual([host, port, access], ['127.0.0.1', 8420, 'open'])
  })

  test('that are unknown refuse the start by name', () => {
    assert.match(problemsOf({ DEPUTY_DATADIR: '/x' })[0] ?? '', /DEPUTY_DATADIR.*DEPUTY_DATA_DIR/)
  })

  test('are all checked before anything is said', () => {
    assert.equal(
      problemsOf({ PORT: 'http', DEPUTY_LOG_LEVEL: 'loud', DEPUTY_PENDING_TTL_S: '0', DEPUTY_X: '1' }).length,
      4,
    )
  })

  test('never open the service to other machines', () => {
    for (const HOST of ['0.0.0.0', '::', '192.168.1.5', 'example.com', '127.evil.com'])
      assert.equal(problemsOf({ HOST }).length, 1, HOST)
    for (const HOST of ['127.0.0.1', '127.0.0.2', '::1', 'localhost'])
      assert.equal(problemsOf({ HOST }).length, 0, HOST)
  })

  test('name a database without ever repeating its password', () => {
    const { database } = readConfig({ DEPUTY_DATABASE_URL: 'postgresql://me:secret@db.example/deputy' })
    assert.deepEqual(
      [database?.pool, database?.allow_unsafe, database?.replica_url, database?.master_key_file],
      [10, false, undefined, undefined],
    )
    for (const url of ['mysql://me:secret@db/x', 'postgres://me:secret@db', 'me:secret@db/deputy'])
      assert.doesNotMatch(problemsOf({ DEPUTY_DATABASE_URL: url }).join() || 'secret', /secret/)
    assert.equal(readConfig({}).database, undefined)
    const unsafe = { DEPUTY_DATABASE_URL: 'postgres://db/x', DEPUTY_UNSAFE_DATABASE: 'yes' }
    assert.match(problemsOf(unsafe)[0] ?? '', /I_MAY_LOSE_DATA/)
  })

  test('that need a database are refused without one', () => {
    for (const name of ['DEPUTY_REPLICA_URL', 'DEPUTY_MASTER_KEY_FILE'])
      assert.match(problemsOf({ [name]: 'postgres://db/x' })[0] ?? '', /Set DEPUTY_DATABASE_URL/)
  })
})
