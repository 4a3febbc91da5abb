import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { after, describe, test } from 'node:test'
import type { Answer } from '@deputize/testing/a-test-app.ts'
import { httpClient } from '@deputize/testing/http-client.ts'
import { aProgram, type Program, refusedStart } from '@deputize/testing/program.ts'
import { codeOf, rawExchange, rawRequest, statusOf } from '@deputize/testing/raw-http.ts'
import { type TestScope, temporaryDirectory } from '@deputize/testing/scope.ts'
import { auditStore, logSize } from './audit-store.ts'

const KEYED = {
  DEPUTY_ACCESS: 'keyed',
  DEPUTY_PUBLIC_URL: 'http://127.0.0.1:0',
  DEPUTY_LOG_LEVEL: 'trace',
}
const SECRET = /dsu_[A-Za-z0-9_-]{32}/g

function aKeyedProgram(scope: TestScope, directory: string): Promise<Program> {
  return aProgram(scope, directory, KEYED)
}

/** The screen shows the secret in a link and in a call. */
const secretsIn = (output: string) => [...new Set(output.match(SECRET) ?? [])]

/** The lines of the log, without the start screen. */
function logLines(output: string): string[] {
  return output.split('\n').filter((line) => line.startsWith('{"level"'))
}

const bearer = (key: string) => ({ authorization: `Bearer ${key}` })

async function setUp({ url, output }: Program, scope: TestScope): Promise<Answer> {
  const [setup_secret] = secretsIn(output())
  return httpClient(scope, url).post('/v1/vat/setup', { setup_secret })
}

describe('a program that starts in keyed mode', () => {
  test('prints a secret that creates one key even for 64 concurrent calls', async (t) => {
    const directory = temporaryDirectory(t)
    const program = await aKeyedProgram(t, directory)
    const [setup_secret, ...others] = secretsIn(program.output())
    assert.ok(setup_secret !== undefined)
    assert.deepEqual(others, [])
    const client = httpClient(t, program.url)
    const wrong = await client.post('/v1/vat/setup', { setup_secret: `${setup_secret.slice(0, -2)}!!` })
    assert.deepEqual([wrong.status, wrong.body.code], [401, 'credential_invalid'])
    const answers = await Promise.all(
      Array.from({ length: 64 }, () => client.post('/v1/vat/setup', { setup_secret })),
    )
    const made = answers.filter(({ status }) => status === 201)
    assert.equal(made.length, 1)
    for (const { status, body } of answers)
      assert.ok(status === 201 || body.code === 'already_set_up', JSON.stringify(body))
    const key = String(made[0]?.body.key)
    const keys = await client.get('/v1/vat/keys', bearer(key))
    assert.equal(keys.body.data.length, 1)

    assert.equal(await program.stop(), 0)
    assert.deepEqual(secretsIn(program.output()), [setup_secret], 'once, on the screen')
    const lines = logLines(program.output())
    assert.ok(lines.length >= 66)
    assert.ok(!lines.some((line) => line.includes(setup_secret) || line.includes(key)))

    const again = await aKeyedProgram(t, directory)
    assert.deepEqual(secretsIn(again.output()), [], 'a key already exists')
    const later = httpClient(t, again.url)
    assert.equal((await later.get('/v1/vat/keys', bearer(key))).status, 200, 'a restart keeps keys')
    const late = await later.post('/v1/vat/setup', { setup_secret })
    assert.deepEqual([late.status, late.body.code], [409, 'already_set_up'])
    await again.stop()
    await auditStore(directory)
  })

  test('prints another secret at the next start if the first was not used', async (t) => {
    const directory = temporaryDirectory(t)
    const first = await aKeyedProgram(t, directory)
    const [old] = secretsIn(first.output())
    await first.stop()
    const second = await aKeyedProgram(t, directory)
    const [fresh] = secretsIn(second.output())
    assert.notEqual(fresh, old)
    const client = httpClient(t, second.url)
    assert.equal((await client.post('/v1/vat/setup', { setup_secret: old })).status, 401)
    assert.equal((await client.post('/v1/vat/setup', { setup_secret: fresh })).status, 201)
  })

  test('accepts no token that it issued in open mode', async (t) => {
    const directory = temporaryDirectory(t)
    const open = await aProgram(t, directory)
    const request = {
      developer_email: 'a@example.com',
      agent_id: 'bot',
      resources: ['a:b'],
      actions: ['read'],
    }
    const { body: token } = await httpClient(t, open.url).post('/v1/vat/issue/l1', request)
    await open.stop()
    // At the same address, so that only the mode changes.
    const keyed = await aProgram(t, directory, { ...KEYED, PORT: new URL(open.url).port })
    const operator = bearer((await setUp(keyed, t)).body.key)
    const client = httpClient(t, keyed.url)
    await client.post('/v1/vat/tenants', { tenant_id: 'acme' }, operator)
    const answer = await client.get('/v1/vat/policies', bearer(token.compact_jwt))
    assert.deepEqual([answer.status, answer.body.code], [401, 'credential_invalid'])
    const bare = await client.post('/v1/vat/authorize', {
      vat_jti: token.jti,
      action: 'read',
      resource: 'a:b',
    })
    assert.deepEqual([bare.status, bare.body.code], [401, 'credential_required'])
  })
})

const directory = temporaryDirectory({ after })
const program = await aKeyedProgram({ after }, directory)
const { host } = new URL(program.url)
const made = await setUp(program, { after })

describe('ambiguous requests are refused in keyed mode', () => {
  const authorization = `Authorization: Bearer ${made.body.key}`
  const wrong = 'Authorization: Bearer dk_wrong'
  const body = JSON.stringify({ tenant_id: 'acme' })
  const post = 'POST /v1/vat/tenants HTTP/1.1'
  const base = [`Host: ${host}`, authorization, 'Content-Type: application/json']
  const length = `Content-Length: ${body.length}`
  const lines = (...all: string[]) => `${all.join('\r\n')}\r\n\r\n`
  const chunked = `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`
  const smuggled = lines(post, ...base, length) + body

  async function assertRefused(bytes: string): Promise<void> {
    const size = logSize(directory)
    const text = await rawExchange(program.url, bytes)
    assert.equal(statusOf(text), 400, text)
    assert.equal(text.match(/HTTP\/1\.1 /g)?.length, 1, 'one request has one answer')
    assert.equal(logSize(directory), size, 'something was written')
  }

  for (const [name, bytes] of Object.entries({
    'Content-Length with Transfer-Encoding':
      lines(post, ...base, length, 'Transfer-Encoding: chunked') + chunked + smuggled,
    'Transfer-Encoding with Content-Length':
      lines(post, ...base, 'Transfer-Encoding: chunked', 'Content-Length: 4') + chunked + smuggled,
    'two lengths': lines(post, ...base, length, 'Content-Length: 0') + smuggled,
    'the same length twice': lines(post, ...base, length, length) + body,
    'lines that end in LF alone': `${[post, ...base, length].join('\n')}\n\n${body}`,
    'one header that ends in LF alone': `${post}\r\nHost: ${host}\n${authorization}\r\nContent-Type: application/json\r\n${length}\r\n\r\n${body}`,
    'a credential that goes on in the next line':
      lines(post, `Host: ${host}`, 'Authorization: Bearer', ` ${made.body.key}`, ...base.slice(2), length) +
      body,
    'a header that goes on in the next line': lines(post, ...base, length, 'X-A: b', ' c') + body,
    'a blank before the colon of the credential':
      lines(post, `Host: ${host}`, authorization.replace(':', ' :'), ...base.slice(2), length) + body,
    'a NUL in the credential':
      lines(post, `Host: ${host}`, `${authorization}\0`, ...base.slice(2), length) + body,
  }))
    test(name, () => assertRefused(bytes))

  for (const [name, twice] of Object.entries({
    'a good credential before a bad one': [`Host: ${host}`, authorization, wrong],
    'a bad credential before a good one': [`Host: ${host}`, wrong, authorization],
    'the same credential twice': [`Host: ${host}`, authorization, authorization],
    'a credential twice in other letters': [`Host: ${host}`, authorization, authorization.toUpperCase()],
    'two hosts': [`Host: ${host}`, 'Host: attacker.example', authorization],
    'two hosts, the foreign one first': ['Host: attacker.example', `Host: ${host}`, authorization],
    'two shown tokens': [`Host: ${host}`, authorization, 'Deputy-Token: a', 'Deputy-Token: b'],
    'two proofs': [`Host: ${host}`, authorization, 'DPoP: a', 'DPoP: b'],
    'two origins': [`Host: ${host}`, authorization, `Origin: ${program.url}`, 'Origin: null'],
  }))
    test(name, () =>
      assertRefused(
        rawRequest('POST /v1/vat/tenants', [...twice, 'Content-Type: application/json', length], body),
      ),
    )

  test('two media types', () =>
    assertRefused(rawRequest('POST /v1/vat/tenants', [...base, 'Content-Type: text/plain', length], body)))

  test('the same request in its plain form is still accepted', async () => {
    const text = await rawExchange(program.url, rawRequest('POST /v1/vat/tenants', [...base, length], body))
    assert.equal(statusOf(text), 201, text)
  })

  test('a foreign host name is refused before anything else is checked', async () => {
    const bytes = rawRequest('GET /v1/vat/keys', ['Host: attacker.example', authorization])
    const text = await rawExchange(program.url, bytes)
    assert.deepEqual([statusOf(text), codeOf(text)], [403, 'host_not_allowed'])
  })
})

test('500 slow sockets do not delay callers with a key', async (t) => {
  const program = await aKeyedProgram(t, temporaryDirectory(t))
  const { port, host } = new URL(program.url)
  const { key } = (await setUp(program, t)).body
  const head = `POST /v1/vat/tenants HTTP/1.1\r\nHost: ${host}\r\nContent-Type: application/json\r\n`
  const beginnings = [head, `${head}Content-Length: 100\r\n\r\n{"tenant_id":`, 'GET /v1/vat/tenants HTT']
  const sockets = await Promise.all(
    Array.from({ length: 500 }, async (_, index) => {
      const socket = connect(Number(port), '127.0.0.1')
      t.after(() => void socket.destroy())
      socket.on('error', () => {}) // they wait to be cut off
      await new Promise((resolve) => socket.once('connect', resolve))
      socket.write(beginnings[index % beginnings.length] ?? '')
      return socket
    }),
  )
  const client = httpClient(t, program.url)
  const areThere = () => sockets.filter(({ destroyed }) => !destroyed).length >= 400
  let answered_meanwhile = 0
  for (let n = 0; n < 50; n++) {
    assert.equal((await client.get('/v1/vat/keys', bearer(key))).status, 200)
    if (areThere()) answered_meanwhile += 1
  }
  // On a slow machine, the service may have closed some of them before the last calls.
  assert.ok(answered_meanwhile >= 10, `${answered_meanwhile} calls were answered while they were there`)
})

describe('an unsafe start in keyed mode is refused', () => {
  for (const [name, { env, says }] of Object.entries<{ env: Record<string, string>; says: RegExp }>({
    'a setting that does not exist': {
      env: { DEPUTY_TRUSTED_PROXY: '10.0.0.1' },
      says: /DEPUTY_TRUSTED_PROXY is not a setting.*DEPUTY_TRUSTED_PROXIES/,
    },
    'proxies by name': {
      env: { DEPUTY_TRUSTED_PROXIES: 'proxy.example' },
      says: /proxy\.example.*not an IP address/,
    },
    'proxies that are everybody by a slip': {
      env: { DEPUTY_TRUSTED_PROXIES: '10.0.0.0/99' },
      says: /10\.0\.0\.0\/99.*not an IP address or a range/,
    },
    'credentials over plain HTTP': {
      env: { DEPUTY_PUBLIC_URL: 'http://deputy.example' },
      says: /DEPUTY_PUBLIC_URL=http:\/\/deputy\.example must be.*https/,
    },
    'an address with a path': {
      env: { DEPUTY_PUBLIC_URL: 'https://deputy.example/path' },
      says: /without a path/,
    },
    'an address with a user': {
      env: { DEPUTY_PUBLIC_URL: 'https://user@deputy.example' },
      says: /DEPUTY_PUBLIC_URL/,
    },
    'no address at all': {
      env: { DEPUTY_PUBLIC_URL: '' },
      says: /bound to the address\. Set a fixed PORT or DEPUTY_PUBLIC_URL/,
    },
    'a mode that does not exist': {
      env: { DEPUTY_ACCESS: 'keys' },
      says: /DEPUTY_ACCESS=keys must be one of/,
    },
  }))
    test(name, async (t) => {
      const { code, output } = await refusedStart(temporaryDirectory(t), { ...KEYED, ...env })
      assert.equal(code, 78, output)
      assert.match(output, says)
      assert.deepEqual(secretsIn(output), [])
    })
})
