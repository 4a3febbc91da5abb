import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import { mayOmitBody, OPERATIONS, type Operation, TEXT_FORMATS } from '@deputize/protocol'
import { type Answer, aTestApp } from '@deputize/testing/a-test-app.ts'
import { anIssueRequest } from '@deputize/testing/an-issue-request.ts'
import { cpuMs } from '@deputize/testing/cpu-time.ts'
import { httpClient } from '@deputize/testing/http-client.ts'
import { aProgram } from '@deputize/testing/program.ts'
import { temporaryDirectory } from '@deputize/testing/scope.ts'
import { leafTexts } from './audit-store.ts'

const VECTORS = join(import.meta.dirname, '../../../vectors')
const readVector = (path: string) => JSON.parse(readFileSync(join(VECTORS, path), 'utf8'))

const service = await aTestApp({ after })
const { body: token } = await service.post('/v1/vat/issue/l1', anIssueRequest())
const anAction = (changes: Record<string, unknown> = {}) => ({
  vat_jti: token.jti,
  action: 'read',
  resource: 'calendar:events',
  ...changes,
})
const { body: pending } = await service.post('/v1/vat/authorize', anAction())

/** Every operation that changes something, at a path where it would take effect. */
const POSTS = Object.values<Operation>(OPERATIONS)
  .filter(({ method }) => method === 'POST')
  .map((row) => ({
    path: row.path.replace('{id}', pending.aar_id),
    needsBody: row.body !== undefined && !mayOmitBody(row),
    code: row.oauth_errors === true ? 'error' : 'code',
  }))

async function send(path: string, payload: string | Buffer): Promise<Answer> {
  const response = await service.app.inject({
    method: 'POST',
    url: path,
    payload,
    headers: { 'content-type': 'application/json' },
  })
  return { status: response.statusCode, headers: response.headers, body: response.json() }
}

/** Asserts a 4xx problem without effects: no leaf, no changed prototype, no harm to the next request. */
async function assertHarmless(name: string, payload: string | Buffer, posts = POSTS): Promise<void> {
  const before = await service.logSize()
  for (const { path, needsBody, code } of posts) {
    if (!needsBody && payload.toString().trim() === '{}') continue // the same as no body
    const { status, body } = await send(path, payload)
    assert.ok(status >= 400 && status < 500, `${name} to ${path} gave ${status}`)
    assert.equal(typeof body[code], 'string', `${name} to ${path} gave no problem`)
    assert.equal(Reflect.get({}, 'polluted'), undefined)
    assert.equal(Reflect.get({}, 'authorized'), undefined)
    assert.equal(Reflect.get([], 'max_spend_usd'), undefined)
  }
  assert.equal(await service.logSize(), before, `${name} left something in the log`)
  const { status, body } = await service.post('/v1/vat/authorize', anAction({ dry_run: true }))
  assert.equal(status, 200)
  assert.equal(body.authorized, true)
}

interface Hostile {
  bodies: { name: string; body: string }[]
  generators: { name: string; n: number[] }[]
}

const GENERATORS: Record<string, (n: number) => string> = {
  depth: (n) => '['.repeat(n) + ']'.repeat(n),
  wide: (n) => `{${Array.from({ length: n + 1 }, (_, index) => `"k${index}":0`).join(',')}}`,
  'long string': (n) => JSON.stringify({ agent_id: 'a'.repeat(n) }),
  'many resources': (n) =>
    JSON.stringify({ resources: Array.from({ length: n }, (_, index) => `a:${index}`) }),
  'body size': (n) => `{"x":"${'a'.repeat(n - 8)}"}`,
  'hash flooding': (n) => `{${Array.from({ length: n + 1 }, (_, index) => `"${index}":0`).join(',')}}`,
}

describe('a hostile body is refused by every operation, and leaves nothing behind', () => {
  const { bodies, generators }: Hostile = readVector('hostile/hostile-json.json')

  for (const { name, body } of bodies) test(name, () => assertHarmless(name, body))

  for (const { name, n } of generators) {
    for (const size of n) {
      test(`${name} of ${size}`, async () => {
        const body = GENERATORS[name]?.(size) ?? assert.fail(`no generator for ${name}`)
        await assertHarmless(name, body)
      })
    }
  }

  test('members that reach a prototype', async () => {
    for (const body of [
      '{"__proto__":{"polluted":true}}',
      '{"constructor":{"prototype":{"polluted":true}}}',
      '{"vat_jti":"x","action":"read","resource":"a:b","metadata":{"__proto__":{"polluted":true}}}',
      '{"items":[{"__proto__":{"polluted":true}}]}',
      '{"\\u005f\\u005fproto__":{"polluted":true}}',
    ])
      await assertHarmless(body, body)
  })

  test('every text of JSONTestSuite', async () => {
    const folder = join(VECTORS, 'json-test-suite/test_parsing')
    const names = readdirSync(folder)
    assert.equal(names.length, 318)
    // One reader reads all bodies, so each text goes to a fifth of the operations, and each operation gets a fifth of the texts.
    for (const [number, name] of names.entries())
      await assertHarmless(
        name,
        readFileSync(join(folder, name)),
        POSTS.filter((_, index) => (index + number) % 5 === 0),
      )
  })
})

describe('long strings that make careless patterns slow', () => {
  const { cases }: { cases: { name: string; n: number }[] } = readVector('hostile/redos-strings.json')
  const MAKE: Record<string, (n: number) => string> = {
    'email local part': (n) => `${'a'.repeat(n)}!`,
    'email dots': (n) => `${'a.'.repeat(n)}@`,
    'email many @': (n) => '@'.repeat(n),
    'resource colons': (n) => 'a:'.repeat(n),
    spaces: (n) => `${' '.repeat(n)}x`,
    'hex tail': (n) => `sha256:${'0'.repeat(n)}g`,
    'ISO date digits': (n) => `${'1'.repeat(n)}Z`,
    'jwt dots': (n) => '.'.repeat(n),
  }
  // A pattern that backtracks would need minutes; a sound one needs less than a millisecond.
  const CHECK_MS = 1_000
  const ALL_MS = 60_000

  for (const { name, n } of cases) {
    const text = MAKE[name]?.(n) ?? ''

    test(`${name}: every format refuses it without hanging`, async () => {
      assert.ok(text.length >= n)
      for (const [format, { check }] of Object.entries(TEXT_FORMATS)) {
        const took_ms = await cpuMs(() => assert.equal(check(text), false, format), 1)
        assert.ok(took_ms < CHECK_MS, `${format} took ${took_ms} ms`)
      }
    })

    test(`${name}: every field refuses it without hanging`, async () => {
      const started = performance.now()
      for (const field of ['developer_email', 'agent_id', 'audience', 'purpose'])
        assert.equal((await service.post('/v1/vat/issue/l1', anIssueRequest({ [field]: text }))).status, 400)
      for (const field of ['resources', 'actions'])
        assert.equal(
          (await service.post('/v1/vat/issue/l1', anIssueRequest({ [field]: [text] }))).status,
          400,
        )
      for (const field of ['vat_jti', 'action', 'resource', 'result', 'result_hash', 'parent_aar_id']) {
        const body = anAction({ result: 'success', [field]: text })
        assert.equal((await service.post('/v1/vat/record/action', body)).status, 400)
      }
      for (const field of ['agent_id', 'action', 'resource', 'from', 'to', 'cursor', 'human_ref', 'rating'])
        assert.equal((await service.get(`/v1/vat/aar?${field}=${encodeURIComponent(text)}`)).status, 400)
      const headers = { 'idempotency-key': text, 'x-request-id': text, traceparent: text }
      assert.equal((await service.post('/v1/vat/authorize', anAction(), headers)).status, 400)
      assert.ok(performance.now() - started < ALL_MS)
    })
  }
})

const NAUGHTY: readonly string[] = [
  ...readVector('naughty-strings/blns.json'),
  '\u0000',
  'before\u0000after',
  '\u202eright to left',
  'line\r\nX-Injected: yes',
  'é', // composed
  'e\u0301', // the same letter, decomposed
  'ﬁ', // a ligature, which compatibility forms would decompose
  '\u{10ffff}',
  '😀'.repeat(200),
]

/** Calls `use` for every naughty string, a handful at a time so that they share commits. */
async function forEachNaughty(use: (text: string) => Promise<void>): Promise<void> {
  for (let start = 0; start < NAUGHTY.length; start += 32)
    await Promise.all(NAUGHTY.slice(start, start + 32).map(use))
}

function assertTaken({ status, body }: Answer, text: string): boolean {
  assert.ok(status < 500, `${JSON.stringify(text)} gave ${status}: ${JSON.stringify(body)}`)
  return status === 200
}

/** Each field of a token request, and where an accepted value is returned. */
const TOKEN_FIELDS: Record<
  string,
  { put(text: string): Record<string, unknown>; get(view: Answer['body']): unknown }
> = {
  purpose: { put: (purpose) => ({ purpose }), get: (view) => view.purpose },
  audience: { put: (audience) => ({ audience }), get: (view) => view.claims.aud },
  agent_id: { put: (agent_id) => ({ agent_id }), get: (view) => view.agent_id.slice('agent:'.length) },
  resources: {
    put: (text) => ({ resources: [text] }),
    get: (view) => view.claims.svc_scope.resources[0],
  },
  actions: { put: (text) => ({ actions: [text] }), get: (view) => view.claims.svc_scope.actions[0] },
  'a constraint for resource servers': {
    put: (x_note) => ({ constraints: { x_note } }),
    get: (view) => view.claims.svc_constraints.x_note,
  },
}

describe('naughty strings are refused or returned unchanged', () => {
  for (const [name, { put, get }] of Object.entries(TOKEN_FIELDS)) {
    test(`as ${name} of a token`, async () => {
      let taken = 0
      await forEachNaughty(async (text) => {
        const answer = await service.post('/v1/vat/issue/l1', anIssueRequest(put(text)))
        if (!assertTaken(answer, text)) return
        taken += 1
        const { jti, claims, compact_jwt } = answer.body
        const view = (await service.get(`/v1/vat/tokens/${jti}`)).body
        assert.equal(get(view), text)
        assert.deepEqual(view.claims, claims)
        assert.deepEqual(JSON.parse(Buffer.from(compact_jwt.split('.')[1], 'base64url').toString()), claims)
      })
      assert.ok(taken > 0, 'none was taken, so nothing was shown')
    })
  }

  test('as the e-mail of a token, which is never returned', async () => {
    await forEachNaughty(async (developer_email) => {
      assertTaken(
        await service.post('/v1/vat/issue/l1', anIssueRequest({ developer_email })),
        developer_email,
      )
    })
  })

  test('as the action and resource of a record, and as filters that find it', async () => {
    await forEachNaughty(async (text) => {
      for (const scope of [{ actions: [text] }, { resources: [text] }, { resources: [`space:${text}`] }]) {
        const issued = await service.post('/v1/vat/issue/l1', anIssueRequest(scope))
        if (!assertTaken(issued, text)) continue
        const [action] = issued.body.claims.svc_scope.actions
        const [resource] = issued.body.claims.svc_scope.resources
        const body = { vat_jti: issued.body.jti, action, resource, result: 'success' }
        const answer = await service.post('/v1/vat/record/action', body)
        if (!assertTaken(answer, text)) continue
        const { aar_id, provenance_ref } = answer.body
        const kept = (await service.get(`/v1/vat/aar/${aar_id}`)).body
        assert.equal(kept.action, action)
        assert.equal(kept.resource, resource)
        const { actions_by_type } = (await service.get(`/v1/vat/aar/provenance/${provenance_ref}`)).body
        assert.deepEqual(Object.entries(actions_by_type), [[action, 1]])
        const query = new URLSearchParams({ action, resource, provenance_ref })
        const { data } = (await service.get(`/v1/vat/aar?${query}`)).body
        assert.deepEqual(data, [kept])
      }
    })
  })

  test('as names and values in the metadata of a record', async () => {
    await forEachNaughty(async (text) => {
      const metadata = { [text]: 1, value: text, list: [text, { [text]: text }] }
      const answer = await service.post('/v1/vat/authorize', anAction({ metadata }))
      if (!assertTaken(answer, text)) return
      const kept = (await service.get(`/v1/vat/aar/${answer.body.aar_id}`)).body
      assert.deepEqual(kept.metadata, metadata)
    })
  })

  test('as the note of a rating and the reason of a revocation', async () => {
    await forEachNaughty(async (text) => {
      const { body: issued } = await service.post('/v1/vat/issue/l1', anIssueRequest())
      const body = anAction({ vat_jti: issued.jti, result: 'success' })
      const { aar_id } = (await service.post('/v1/vat/record/action', body)).body
      const rated = await service.post(`/v1/vat/aar/${aar_id}/feedback`, { rating: 'flagged', note: text })
      if (assertTaken(rated, text)) assert.equal((await service.get(`/v1/vat/aar/${aar_id}`)).body.note, text)
      const revoked = await service.post('/v1/vat/revoke', { vat_jti: issued.jti, reason: text })
      if (!assertTaken(revoked, text)) return
      assert.equal((await service.get(`/v1/vat/tokens/${issued.jti}`)).body.revoke_reason, text)
    })
  })

  test('as IDs and results in bodies, where no ID is known', async () => {
    await forEachNaughty(async (text) => {
      for (const body of [anAction({ vat_jti: text }), anAction({ parent_aar_id: text })]) {
        const { status } = await service.post('/v1/vat/authorize', body)
        assert.ok(status === 400 || status === 404, `${JSON.stringify(text)} gave ${status}`)
      }
      const recorded = await service.post('/v1/vat/record/action', anAction({ result: text }))
      if (assertTaken(recorded, text))
        assert.equal((await service.get(`/v1/vat/aar/${recorded.body.aar_id}`)).body.result, text)
    })
  })

  test('as part of a path', async () => {
    await forEachNaughty(async (text) => {
      const part = encodeURIComponent(text)
      for (const path of [
        `/v1/vat/tokens/${part}`,
        `/v1/vat/aar/${part}`,
        `/v1/vat/aar/provenance/${part}`,
        `/v1/vat/aar/provenance/${part}/graph`,
        `/v1/vat/aar/provenance/${part}/records`,
        `/v1/vat/aar/provenance/${part}/export?format=csv`,
        `/v1/vat/aar/${part}/lineage`,
        `/v1/vat/denials/${part}`,
        `/v1/vat/reputation/${part}`,
        `/problems/${part}`,
        `/${part}`,
      ])
        assertTaken(await service.get(path), text)
      assertTaken(await service.post(`/v1/vat/aar/${part}/feedback`, { rating: 'approved' }), text)
      assertTaken(await service.post(`/v1/vat/aar/${part}/cancel`), text)
    })
  })

  test('as names and values of query parameters', async () => {
    await forEachNaughty(async (text) => {
      for (const name of [
        'agent_id',
        'action',
        'resource',
        'result',
        'provenance_ref',
        'cursor',
        'limit',
        'from',
      ])
        assertTaken(await service.get(`/v1/vat/aar?${new URLSearchParams({ [name]: text })}`), text)
      assertTaken(await service.get(`/v1/vat/aar?${new URLSearchParams({ [text]: '1' })}`), text)
      assertTaken(await service.get(`/v1/vat/denials?${new URLSearchParams({ agent_id: text })}`), text)
    })
  })

  test('as headers: a request ID is echoed only if it is harmless, and an invalid key is refused', async () => {
    await forEachNaughty(async (text) => {
      const answer = await service.post('/v1/vat/authorize', anAction({ dry_run: true }), {
        'x-request-id': text,
        traceparent: text,
      })
      assert.equal(answer.status, 200)
      const echoed = String(answer.headers['x-request-id'])
      assert.match(echoed, /^[A-Za-z0-9._-]{1,128}$/)
      if (/^[A-Za-z0-9._-]{1,128}$/.test(text)) assert.equal(echoed, text)
      const keyed = await service.post('/v1/vat/authorize', anAction(), { 'idempotency-key': text })
      assert.equal(keyed.status, /^[\x21-\x7e]{1,255}$/.test(text) ? 200 : 400, JSON.stringify(text))
    })
  })
})

describe('private data stays private', () => {
  const EMAIL = 'canary.mail@canary.example'
  const CANARIES = {
    developer_email: EMAIL,
    purpose: 'canary-of-purpose',
    metadata: 'canary-of-metadata',
    note: 'canary-of-note',
    reason: 'canary-of-reason',
    idempotency_key: 'canary-of-key',
    wrong: 'canary-of-a-wrong-value',
  }

  test('no refusal repeats the refused value', async () => {
    const { wrong } = CANARIES
    for (const answer of [
      await service.post('/v1/vat/issue/l1', anIssueRequest({ developer_email: `${wrong}@@` })),
      await service.post('/v1/vat/issue/l1', anIssueRequest({ agent_id: `${wrong}*` })),
      await service.post('/v1/vat/issue/l1', anIssueRequest({ resources: [wrong] })),
      await service.post('/v1/vat/issue/l1', anIssueRequest({ expires_in: wrong })),
      await service.post('/v1/vat/issue/l1', `{"purpose":"${wrong}`),
      await service.post('/v1/vat/authorize', anAction({ vat_jti: wrong })),
      await service.post('/v1/vat/authorize', anAction({ parent_aar_id: wrong })),
      await service.post(`/v1/vat/aar/${pending.aar_id}/feedback`, { rating: wrong }),
      await service.post(`/v1/vat/aar/${pending.aar_id}/feedback`, {
        rating: 'approved',
        note: wrong.repeat(200),
      }),
      await service.get(`/v1/vat/tokens/${wrong}`),
      await service.get(`/v1/vat/aar?state=${wrong}`),
      await service.get(`/v1/vat/aar?cursor=${wrong}`),
    ]) {
      assert.ok(answer.status >= 400 && answer.status < 500)
      assert.ok(!JSON.stringify(answer.body).includes(wrong), JSON.stringify(answer.body))
    }
  })

  test('no e-mail, text or token ID reaches the log of the service, its metrics or the leaves', async (t) => {
    const directory = temporaryDirectory(t)
    const program = await aProgram(t, directory, { DEPUTY_LOG_LEVEL: 'trace' })
    const client = httpClient(t, program.url)
    const ok = async (answer: Promise<Answer>) => {
      const { status, body } = await answer
      assert.equal(status, 200, JSON.stringify(body))
      return body
    }
    const request = anIssueRequest({ developer_email: EMAIL, purpose: CANARIES.purpose })
    const { jti, compact_jwt } = await ok(
      client.post('/v1/vat/issue/l1', request, { 'idempotency-key': CANARIES.idempotency_key }),
    )
    const metadata = { text: CANARIES.metadata }
    const body = anAction({ vat_jti: jti, metadata })
    const { aar_id } = await ok(client.post('/v1/vat/record/action', { ...body, result: 'success' }))
    const open = await ok(client.post('/v1/vat/authorize', body))
    await ok(client.post(`/v1/vat/aar/${open.aar_id}/complete`, { result: 'success', metadata }))
    await ok(client.post('/v1/vat/authorize', { ...body, action: 'delete' }))
    await ok(client.post(`/v1/vat/aar/${aar_id}/feedback`, { rating: 'rejected', note: CANARIES.note }))
    await ok(client.get(`/v1/vat/tokens/${jti}`))
    await ok(client.post('/v1/vat/revoke', { vat_jti: jti, reason: CANARIES.reason }))
    // And ways in which a request can be wrong.
    await client.post('/v1/vat/issue/l1', { ...request, oops: CANARIES.wrong })
    await client.post('/v1/vat/issue/l1', `{"developer_email":"${EMAIL}"`)
    await client.post('/v1/vat/record/action', { ...body, result: 'success' })
    await client.get(`/v1/vat/tokens/${jti}/${CANARIES.wrong}`)
    await client.get(`/v1/vat/aar?cursor=${jti}`)
    await client.get(`/v1/vat/tokens/%${jti}`)

    const { body: metrics } = await client.get('/metrics')
    const places = { leaves: leafTexts(directory).join('\n'), metrics, output: program.output() }
    assert.match(places.output, /answered/, 'the log of the service was on')
    assert.match(places.metrics, /deputy_http_request_duration_seconds_count\{operation="issueL1"/)
    assert.match(places.leaves, /action\.rated/)
    for (const [place, text] of Object.entries(places)) {
      for (const canary of [
        ...Object.values(CANARIES),
        'canary',
        jti,
        jti.slice('vat_root_'.length),
        compact_jwt,
      ])
        assert.ok(!text.includes(canary), `${place} shows ${canary}`)
    }
  })

  test('every line of the service log is one JSON object, regardless of what callers send', async (t) => {
    const program = await aProgram(t, temporaryDirectory(t), { DEPUTY_LOG_LEVEL: 'trace' })
    const client = httpClient(t, program.url)
    for (const text of NAUGHTY.slice(0, 200)) {
      await client.get(`/v1/vat/aar/${encodeURIComponent(text)}`)
      await client.post('/v1/vat/issue/l1', anIssueRequest({ purpose: text }))
    }
    await program.stop()
    const output = program.output()
    const afterStartScreen = output.slice(output.lastIndexOf("}'\n") + 3)
    const logged = afterStartScreen.split('\n').filter((line) => line !== '')
    assert.ok(logged.length >= 400)
    for (const line of logged) assert.equal(typeof JSON.parse(line).level, 'number')
  })
})
