import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import {
  type AgentKey,
  deputy,
  newAgentKey,
  type Outcome,
  type RunOptions,
  type TokenLike,
  tokenVerifier,
  verifyReceipt,
  verifyToken,
  verifyWebhook,
} from '@deputize/sdk'
import { deputyGuard as forExpress } from '@deputize/sdk/express'
import { deputyGuard as forFastify } from '@deputize/sdk/fastify'
import { type AuthorityVariables, deputyGuard as forHono } from '@deputize/sdk/hono'
import { anOpenDeployment } from '@deputize/testing/a-deployment.ts'
import { Hono } from 'hono'

const { client, url, token } = await anOpenDeployment({ after })

/** Returns a value as a program without types would pass it. */
const untyped = <T>(value: unknown) => value as T // these tests pass values of the wrong type

describe('a mistake throws before any call is made', () => {
  test('an invalid URL is named', () => {
    for (const wrong of ['127.0.0.1:8420', 'localhost:8420', '', undefined, 'ftp://example.com'])
      assert.throws(() => deputy({ url: untyped(wrong) }), /^TypeError: url must be the URL of the service/)
  })

  test('a credential that no header can carry is refused, and is not shown', () => {
    for (const secret of ['', 'dk_a b', 'dk_a\n', 'dk_\u0000', 'dk_é', 'dk_…', untyped<string>(7)])
      for (const name of ['key', 'token'])
        assert.throws(
          () => deputy({ url, [name]: secret }),
          ({ message }: Error) => message.startsWith(`${name} must be `) && !message.includes('dk_a'),
        )
  })

  test('an idempotency key or a header that cannot be sent is named, and does not look like an outage', async () => {
    const elsewhere = deputy({ url: 'http://127.0.0.1:1' })
    for (const idempotency_key of ['', 'a b', 'a\n', 'é', '…', 'k'.repeat(256)])
      await assert.rejects(
        elsewhere.revokeToken({ vat_jti: 'vat_root_1' }, { idempotency_key }),
        /^TypeError: idempotency_key must be 1 to 255 printable ASCII characters without spaces\. It is "/,
      )
    for (const value of ['…', 'a\nb'])
      await assert.rejects(elsewhere.getHealth({}, { headers: { 'x-mine': value } }), TypeError)
    const { jti } = await token()
    const idempotency_key = '~'.repeat(255)
    await client.revokeToken({ vat_jti: jti }, { idempotency_key })
  })

  test('unknown options and options that are not an object are rejected by name', async () => {
    assert.throws(() => deputy(untyped(undefined)), /^TypeError: The options must be an object/)
    assert.throws(() => deputy(untyped(url)), /^TypeError: The options must be an object/)
    assert.throws(() => deputy(untyped({ url, timeout: 3 })), /Unknown option timeout\. Known options: url,/)
    assert.throws(() => forExpress(untyped({ url, audiences: 'a' })), /Unknown option audiences/)
    await assert.rejects(verifyToken('a.b.c', untyped(undefined)), /The options must be an object/)
    await assert.rejects(
      verifyToken('a.b.c', untyped({ url, audiance: 'https://calendar.example' })),
      /Unknown option audiance/,
    )
    const agent = client.withAuthority(await token())
    const misspelled = untyped<RunOptions>({ spend: 3 })
    await assert.rejects(
      agent.run('read', 'calendar:events', () => 1, misspelled),
      /Unknown option spend\. Known options: spend_usd/,
    )
    assert.throws(() => client.withAuthority('a.b.c', untyped({ key: 1 })), /Unknown option key/)
    await assert.rejects(newAgentKey(untyped({ exportable: false })), /Unknown option exportable/)
    await assert.rejects(client.getHealth({}, untyped({ timeout: 3 })), /Unknown option timeout/)
    await assert.rejects(verifyReceipt({}, untyped({ vkey: 'x' })), /Unknown option vkey/)
    const verifier = tokenVerifier({ url })
    await assert.rejects(verifier.verify('a.b.c', untyped({ aud: 'x' })), /Unknown option aud/)
    const misspelled_outcome = agent.run('read', 'calendar:events', (allowed) =>
      allowed.outcome(untyped({ spent_usd: 1 })),
    )
    await assert.rejects(misspelled_outcome, /Unknown option spent_usd/)
    const authority = forExpress({ url })
    assert.throws(() => authority('read', 'a:b', untyped<object>({ ofline: true })), /Unknown option ofline/)
  })

  test('an invalid time limit, number of retries or wait is rejected', async () => {
    for (const wrong of ['5s', 0, -1, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 31, null]) {
      assert.throws(() => deputy({ url, timeout_ms: untyped(wrong) }), /^TypeError: timeout_ms must be/)
      await assert.rejects(client.getHealth({}, { timeout_ms: untyped(wrong) }), /timeout_ms must be/)
      assert.throws(() => forExpress({ url, timeout_ms: untyped(wrong) }), /timeout_ms must be/)
    }
    for (const wrong of ['3', -1, 0.5, Number.POSITIVE_INFINITY]) {
      assert.throws(() => deputy({ url, retries: untyped(wrong) }), /^TypeError: retries must be/)
      await assert.rejects(client.getHealth({}, { retries: untyped(wrong) }), /retries must be/)
    }
    const agent = client.withAuthority(await token({ constraints: { require_approval: {} } }))
    for (const wrong of ['no', -1, Number.NaN]) {
      const waiting = agent.run('read', 'calendar:events', () => 1, { wait_for_approval: untyped(wrong) })
      await assert.rejects(waiting, /^TypeError: wait_for_approval must be/)
    }
  })

  test('an action or a resource that no token can name is rejected when the route is declared', () => {
    for (const deputyGuard of [forExpress, forFastify, forHono]) {
      const authority = deputyGuard({ url })
      for (const wrong of ['calendarevents', 'calendar:*', '', undefined, { name: 'calendar:events' }])
        assert.throws(() => authority('write', untyped<string>(wrong)), /^TypeError: The resource must be/)
      for (const wrong of ['', 'wri\nte', '*', undefined])
        assert.throws(() => authority(untyped(wrong), 'calendar:events'), /^TypeError: The action must be/)
      assert.ok(authority('write', () => 'calendar:events'))
    }
  })

  test('a token that is missing or not awaited is rejected', () => {
    assert.throws(() => client.withAuthority(untyped<TokenLike>(token())), /Await the call that issues it/)
    for (const wrong of ['a.b.c', { jti: 'vat_root_1', compact_jwt: 'eyJ.eyJ' }])
      assert.throws(() => client.withAuthority(wrong), /^TypeError: The compact JWT is malformed/)
    for (const wrong of [undefined, null, '', {}])
      assert.throws(
        () => client.withAuthority(untyped(wrong)),
        /The token must be the response of an issue call/,
      )
  })

  test('metadata that is not an object, or has no JSON form, leaves no record', async () => {
    const issued = await token()
    const agent = client.withAuthority(issued)
    for (const wrong of ['text', ['a'], null, 1]) {
      const metadata = untyped<Record<string, unknown>>(wrong)
      const running = agent.run('read', 'calendar:events', () => 1, { metadata })
      await assert.rejects(running, /^TypeError: metadata must be an object\. It is /)
      for (const deputyGuard of [forExpress, forFastify, forHono])
        assert.throws(
          () => deputyGuard({ url })('read', 'calendar:events', { metadata }),
          /^TypeError: metadata must be an object/,
        )
    }
    const unwritable = agent.run('read', 'calendar:events', () => 1, { metadata: { n: [Number.NaN] } })
    await assert.rejects(unwritable, /^TypeError: \/metadata\/n\/0 must be a finite number, not NaN\.$/)
    const mapped = untyped<Record<string, unknown>>(new Map([['a', 1]]))
    const emptied = agent.run('read', 'calendar:events', () => 1, { metadata: mapped })
    await assert.rejects(emptied, /^TypeError: \/metadata must have a JSON form: .*, not a Map\.$/)
    assert.throws(
      () => forExpress({ url })('read', 'calendar:events', { metadata: { request: 1 } }),
      /metadata must not have a member request/,
    )
    const { data } = await client.listRecords({ provenance_ref: issued.provenance_ref })
    assert.deepEqual(data, [])
  })

  test('an outcome that the service would refuse throws immediately, and the record is completed', async () => {
    const long = { text: 'é'.repeat(2_048) }
    const many = Object.fromEntries(Array.from({ length: 65 }, (_, n) => [`m${n}`, n]))
    const deep = JSON.parse(`${'{"a":'.repeat(20)}1${'}'.repeat(20)}`)
    const wrong: readonly (readonly [Outcome, RegExp])[] = [
      [
        { metadata: { left: Number.NaN } },
        /^TypeError: \/metadata\/left must be a finite number, not NaN\.$/,
      ],
      [{ metadata: long }, /^TypeError: metadata must be at most 4096 bytes of JSON\. It is 4107\.$/],
      [{ metadata: many }, /^TypeError: metadata must have at most 64 members\. It has 65\.$/],
      [{ metadata: deep }, /^TypeError: metadata can't be sent\. .*16 levels/],
      ...['', '1', 'a  b', 'no: disk', 'e'.repeat(65), 'раypal', untyped<string>(5)].map(
        (result) => [{ result }, /^TypeError: result must be an outcome word such as success/] as const,
      ),
    ]
    for (const [given, said] of wrong) {
      const issued = await token()
      const work = client.withAuthority(issued).run('read', 'calendar:events', ({ outcome }) => {
        outcome(given)
        assert.fail('went on')
      })
      await assert.rejects(work, said)
      const { data } = await client.listRecords({ provenance_ref: issued.provenance_ref })
      assert.deepEqual(
        data.map(({ result }) => result),
        ['error'],
      )
    }
  })

  test('an outcome that the service accepts can be set', async () => {
    const metadata = { text: 'x'.repeat(4_096 - '{"text":""}'.length) }
    for (const result of ['partial', 'Größe 2 zu klein', 'e'.repeat(64), '失败', 'a.b_c@d+e/f-1']) {
      const issued = await token()
      const agent = client.withAuthority(issued)
      await agent.run('read', 'calendar:events', ({ outcome }) => outcome({ result, metadata }))
      const { data } = await client.listRecords({ provenance_ref: issued.provenance_ref })
      assert.deepEqual(
        data.map((record) => [record.result, record.metadata]),
        [[result, metadata]],
      )
    }
  })

  test('metadata that is too long together with the request fails the route that sets it', async () => {
    const app = new Hono<{ Variables: AuthorityVariables }>()
    app.get('/', forHono({ url })('read', 'calendar:events'), (c) => {
      c.get('authority').outcome({ metadata: { text: 'x'.repeat(4_000) } })
      return c.json(1)
    })
    app.onError((error, c) => c.text(String(error), 500))
    const { compact_jwt } = await token()
    const response = await app.request('/', { headers: { authorization: `Bearer ${compact_jwt}` } })
    assert.match(await response.text(), /^TypeError: metadata must be at most 4096 bytes/)
  })

  test('a request is refused if the route returns no resource, and a missing token is asked for', async () => {
    const app = new Hono()
    app.get(
      '/',
      forHono({ url })(
        'read',
        untyped<() => string>(() => undefined),
      ),
      (c) => c.json(1),
    )
    const { compact_jwt } = await token()
    const details = [{ authorization: `Bearer ${compact_jwt}` }, {}].map(async (headers) => {
      const response = await app.request('http://localhost/', { headers })
      return [response.status, untyped<{ detail: string }>(await response.json()).detail]
    })
    assert.deepEqual(await Promise.all(details), [
      [403, 'undefined is not a valid resource name.'],
      [401, "Send the agent's token in the Authorization header (DPoP or Bearer)."],
    ])
  })

  test('the answer to an issue call is not accepted as a compact JWT', async () => {
    const issued = untyped<string>(await token())
    await assert.rejects(verifyToken(issued, { url }), /^TypeError: compact_jwt must be the compact JWT/)
  })

  test('the error names a missing webhook secret', async () => {
    for (const secret of [undefined, [], ''])
      await assert.rejects(
        verifyWebhook({ body: '{}', headers: {}, secret: untyped<string>(secret) }),
        /^TypeError: secret is missing/,
      )
  })

  test('work that is not a function leaves no record', async () => {
    const issued = await token()
    const agent = client.withAuthority(issued)
    await assert.rejects(agent.run('read', 'calendar:events', untyped(undefined)), /must be a function/)
    const { data } = await client.listRecords({ provenance_ref: issued.provenance_ref })
    assert.deepEqual(data, [])
  })

  test('a key that cannot sign is rejected and does not count as an unreachable service', async () => {
    const agent_key = await newAgentKey()
    const issued = await token({ agent_jwk: agent_key.jwk })
    const wrong = untyped<AgentKey>(agent_key.jwk)
    assert.throws(
      () => client.withAuthority(issued, { agent_key: wrong }),
      /newAgentKey\(\) or importAgentKey/,
    )
    assert.throws(
      () => deputy({ url, token: issued.compact_jwt, agent_key: wrong }),
      /newAgentKey\(\) or importAgentKey/,
    )
    const broken = {
      ...agent_key,
      sign: () => Promise.reject(new RangeError('the key store is locked')),
    }
    const agent = client.withAuthority(issued, { agent_key: broken })
    await assert.rejects(
      agent.run('read', 'calendar:events', () => 1),
      /^RangeError: the key store is locked/,
    )
  })

  test('the ID of a token cannot be combined with a key', async () => {
    const { jti } = await token()
    const agent_key = await newAgentKey()
    assert.throws(() => client.withAuthority(jti, { agent_key }), /agent_key needs the token itself/)
  })
})

describe('an unreachable service', () => {
  test('is reported with its URL and the reason', async () => {
    const call = deputy({ url: 'http://127.0.0.1:9', retries: 0 }).getHealth()
    await assert.rejects(call, /Is it running at http:\/\/127\.0\.0\.1:9\? \(.*\)$/)
  })
})
