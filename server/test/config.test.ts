import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { ConfigError, readConfig, restoreWarning } from '../src/config.ts'
import { SETTINGS } from '../src/settings/setting-names.ts'

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
  test('have defaults', () => {
    const { host, port, access } = readConfig({})
    assert.deepEqual([host, port, access], ['127.0.0.1', 8420, 'open'])
  })

  test('that are unknown are refused by name, with the nearest known name', () => {
    assert.match(problemsOf({ DEPUTY_KEY: 'x' })[0] ?? '', /Did you mean DEPUTY_API_KEY\?/)
    assert.match(
      problemsOf({ DEPUTY_ZZZ: 'x' })[0] ?? '',
      /^DEPUTY_ZZZ is not a setting\. The settings are HOST, /,
    )
    for (const name of ['DEPUTY_DATBASE_URL', 'DEPUTY_DATABASE_ULR', 'DEPUTY_DATA_BASE_URL'])
      assert.deepEqual(problemsOf({ [name]: 'x' }), [
        `${name} is not a setting. Did you mean DEPUTY_DATABASE_URL?`,
      ])
    assert.match(problemsOf({ DEPUTY_DATADIR: '/x' })[0] ?? '', /Did you mean DEPUTY_DATA_DIR\?/)
    assert.match(problemsOf({ DEPUTY_LOGLEVEL: 'info' })[0] ?? '', /Did you mean DEPUTY_LOG_LEVEL\?/)
    assert.match(problemsOf({ DEPUTY_PORT: '1' })[0] ?? '', /Did you mean PORT\?/)
    assert.match(problemsOf({ DEPUTY_HOST: '::1' })[0] ?? '', /Did you mean HOST\?/)
  })

  test('that are empty take their defaults', () => {
    const empty = Object.fromEntries(['HOST', 'PORT', ...SETTINGS].map((name) => [name, '']))
    assert.deepEqual(readConfig(empty), readConfig({}))
  })

  test('accept only an IP address as host', () => {
    const keyed = { DEPUTY_PUBLIC_URL: 'https://deputy.example.com' }
    for (const HOST of ['example.com', 'deputy', '10.0.0']) {
      const [problem = '', ...others] = problemsOf({ ...keyed, HOST })
      assert.match(problem, /must be an IP address/)
      assert.deepEqual(others, [])
    }
  })

  test('of witnesses are named in the problem if they are invalid', () => {
    assert.match(problemsOf({ DEPUTY_WITNESSES: 'foo' })[0] ?? '', /^DEPUTY_WITNESSES: /)
  })

  test('of programs that call the service are ignored', () => {
    assert.deepEqual(problemsOf({ DEPUTY_URL: 'http://x', DEPUTY_TOKEN: 'x', DEPUTY_API_KEY: 'x' }), [])
  })

  test('report every problem at once', () => {
    assert.equal(
      problemsOf({ PORT: 'http', DEPUTY_LOG_LEVEL: 'loud', DEPUTY_PENDING_TTL_S: '0', DEPUTY_X: '1' }).length,
      4,
    )
  })

  test('never open the service to other machines', () => {
    for (const HOST of ['0.0.0.0', '::', '192.168.1.5']) assert.equal(problemsOf({ HOST }).length, 1, HOST)
    for (const HOST of ['example.com', '127.evil.com']) assert.ok(problemsOf({ HOST }).length > 0, HOST)
    for (const HOST of ['127.0.0.1', '127.0.0.2', '::1', 'localhost'])
      assert.equal(problemsOf({ HOST }).length, 0, HOST)
  })

  test('select keyed mode when other machines can call', () => {
    const keyed = { HOST: '0.0.0.0', DEPUTY_PUBLIC_URL: 'https://deputy.example.com' }
    const { access, public_url } = readConfig(keyed)
    assert.deepEqual([access, public_url], ['keyed', 'https://deputy.example.com'])
    assert.match(problemsOf({ ...keyed, DEPUTY_ACCESS: 'open' })[0] ?? '', /open access trusts every caller/)
    assert.equal(readConfig({ DEPUTY_ACCESS: 'keyed' }).public_url, 'http://127.0.0.1:8420')
    assert.equal(readConfig({ DEPUTY_ACCESS: 'keyed', HOST: '::1' }).public_url, 'http://[::1]:8420')
    assert.match(problemsOf({ DEPUTY_ACCESS: 'keyed', PORT: '0' })[0] ?? '', /PORT=0/)
  })

  test('warn in keyed mode when a restored directory would go unnoticed', () => {
    const keyed = { DEPUTY_ACCESS: 'keyed', DEPUTY_DATA_DIR: '/srv/deputy' }
    const warns = (env: Record<string, string>) => restoreWarning(readConfig(env)) !== undefined
    assert.ok(warns(keyed))
    assert.ok(warns({ ...keyed, DEPUTY_CHECKPOINT_FILE: '/srv/deputy/log/checkpoint' }))
    assert.ok(!warns({ ...keyed, DEPUTY_CHECKPOINT_FILE: '/var/lib/deputy.checkpoint' }))
    assert.ok(!warns({ DEPUTY_DATA_DIR: '/srv/deputy' }))
    assert.ok(!warns({ ...keyed, DEPUTY_DATABASE_URL: 'postgres://u:p@db/deputy' }))
  })

  test('accept only an https or local address without a path as public URL', () => {
    const problemWith = (DEPUTY_PUBLIC_URL: string) => problemsOf({ DEPUTY_PUBLIC_URL })[0] ?? ''
    for (const url of [
      'http://deputy.example.com',
      'https://deputy.example.com/api',
      'deputy.example.com',
      'https://a@b.c',
    ])
      assert.match(problemWith(url), /DEPUTY_PUBLIC_URL/, url)
    for (const url of [
      'https://deputy.example.com',
      'https://Deputy.Example.com:8443/',
      'http://localhost:8420',
    ])
      assert.equal(problemWith(url), '', url)
  })

  test('accept IP addresses and ranges as trusted proxies, but no host names', () => {
    const { trusted_proxies } = readConfig({ DEPUTY_TRUSTED_PROXIES: '10.0.0.0/8, 2001:db8::1' })
    assert.deepEqual(trusted_proxies, ['10.0.0.0/8', '2001:db8::1'])
    for (const DEPUTY_TRUSTED_PROXIES of ['proxy.example', '10.0.0.0/33', '::1/129', '*'])
      assert.match(problemsOf({ DEPUTY_TRUSTED_PROXIES })[0] ?? '', /DEPUTY_TRUSTED_PROXIES/)
  })

  test('never repeat the password of a database', () => {
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

  test('that require a database are refused without one', () => {
    for (const name of ['DEPUTY_REPLICA_URL', 'DEPUTY_MASTER_KEY_FILE'])
      assert.match(problemsOf({ [name]: 'postgres://db/x' })[0] ?? '', /Set DEPUTY_DATABASE_URL/)
  })
})
