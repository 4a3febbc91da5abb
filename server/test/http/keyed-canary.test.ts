import assert from 'node:assert/strict'
import { test } from 'node:test'
import { TEST_URL } from '@deputize/testing/a-test-app.ts'
import { anIssueRequest } from '@deputize/testing/an-issue-request.ts'
import { filesBelow } from '@deputize/testing/files-below.ts'
import { okBody } from '@deputize/testing/ok-body.ts'
import { isOnPostgres } from '@deputize/testing/test-stores.ts'
import { aSecretFile } from '../verification/sign-in.ts'
import { agentOf, aKeyedApp, anAgentKey, aSession, type Client, dpop, type KeyedApp } from './a-keyed-app.ts'

const AUDIENCE = 'https://calendar.example'

/** Texts of callers that only they and their people may read. */
const WORDS = {
  email: 'canary-email@example.com',
  purpose: 'canary-purpose',
  note: 'canary-note',
  metadata: 'canary-metadata',
  reason: 'canary-reason',
  idempotency_key: 'canary-idempotency-key',
  wrong: 'canary-wrong-input',
}

interface Heard {
  readonly log: string[]
  readonly problems: string[]
}

/** Collects every refusal that a caller receives. */
function listening(client: Client, { problems }: Heard): Client {
  const call: Client['call'] = async (...args) => {
    const answer = await client.call(...args)
    if (answer.status >= 400) problems.push(JSON.stringify([answer.headers, answer.body]))
    return answer
  }
  return {
    call,
    get: (path, headers) => call('GET', path, undefined, headers),
    post: (path, body, headers) => call('POST', path, body ?? {}, headers),
  }
}

/** Everything on disk: the files of the data directory, and the rows of the database if there is one. */
async function kept({ test }: KeyedApp): Promise<Record<string, string>> {
  const texts = Object.fromEntries(
    filesBelow(test.directory).map(({ name, bytes }) => [name, bytes.toString('latin1')]),
  )
  if (!isOnPostgres) return texts
  const tables = await test.rows(
    `SELECT table_name AS name FROM information_schema.tables WHERE table_schema = 'public'`,
  )
  for (const { name } of tables) {
    const rows = await test.rows(`SELECT t::text AS row FROM "${name}" t`)
    texts[`table ${name}`] = rows.map(({ row }) => String(row)).join('\n')
  }
  return texts
}

test('no secret or personal text is in logs, metrics, errors, leaves, tiles, exports or on disk', async (context) => {
  const heard: Heard = { log: [], problems: [] }
  const client_secret = 'canary-client-secret'
  const company = {
    name: 'company',
    issuer: 'http://127.0.0.1:1',
    client_id: 'x',
    client_secret_file: aSecretFile(context, client_secret),
  }
  const app = await aKeyedApp(context, {
    onLog: (line) => void heard.log.push(line),
    providers: [company],
  })
  const operator = listening(app.operator, heard)
  const anonymous = listening(app.anonymous, heard)
  await okBody(operator.post('/v1/vat/tenants', { tenant_id: 'acme', allow_bearer: true }))
  const keys = {
    developer: await app.key('acme', 'developer'),
    resource_server: await app.key('acme', 'resource_server', { audience: AUDIENCE }),
    deleted: await app.key('acme', 'developer'),
  }
  const rotated = await okBody(operator.post(`/v1/vat/keys/${keys.deleted.split('_')[1]}/rotate`))
  await okBody(operator.call('DELETE', `/v1/vat/keys/${keys.deleted.split('_')[1]}`))
  const developer = listening(app.withKey(keys.developer), heard)

  // An agent with its own key, one without, and a person.
  const key = anAgentKey()
  const issued = await okBody(
    developer.post(
      '/v1/vat/issue/l1',
      anIssueRequest({
        developer_email: WORDS.email,
        purpose: WORDS.purpose,
        actions: ['read', 'write', 'delegate'],
        audience: AUDIENCE,
        agent_jwk: key.jwk,
        constraints: { require_approval: { actions: ['write'] } },
      }),
    ),
  )
  const agent = agentOf(app, issued, key)
  const loose = await okBody(
    developer.post('/v1/vat/issue/l1', anIssueRequest({ developer_email: WORDS.email }), {
      'idempotency-key': WORDS.idempotency_key,
    }),
  )
  const { secret, csrf_token } = await aSession(app.test, 'acme', agent.human_ref)
  const cookie = { cookie: `deputy_session=${secret}` }
  const person = listening(
    app.withHeaders(() => ({ ...cookie, origin: TEST_URL, 'deputy-csrf': csrf_token })),
    heard,
  )

  // Calls that succeed.
  const action = {
    vat_jti: agent.jti,
    action: 'read',
    resource: 'calendar:events',
    metadata: { text: WORDS.metadata },
  }
  const proofs: string[] = []
  const act = listening(
    app.withHeaders((method, path) => {
      const headers = dpop(key, method, path, agent.compact_jwt, app.test.clock(), {
        jti: `canary-proof-${proofs.length}`,
      })
      proofs.push(String(headers.dpop))
      return headers
    }),
    heard,
  )
  const done = await okBody(act.post('/v1/vat/record/action', { ...action, result: 'success' }))
  const asked = await okBody(act.post('/v1/vat/authorize', { ...action, action: 'write' }))
  await okBody(person.post(`/v1/vat/approvals/${asked.approval_id}/approve`, { note: WORDS.note }))
  await okBody(
    person.post(
      `/v1/vat/aar/${done.aar_id}/feedback`,
      { rating: 'rejected', note: WORDS.note },
      { 'idempotency-key': WORDS.idempotency_key },
    ),
  )
  const shown = { authorization: `Bearer ${keys.resource_server}`, 'deputy-token': agent.compact_jwt }
  await okBody(anonymous.post('/v1/vat/authorize', action, shown))
  await okBody(anonymous.get('/v1/vat/policies', { authorization: `Bearer ${loose.compact_jwt}` }))

  // Calls that fail.
  const setup_secret = String(app.test.accessControl.setup?.secret)
  await anonymous.post('/v1/vat/setup', { setup_secret })
  await anonymous.get('/v1/vat/keys', { authorization: `Bearer ${keys.deleted}` })
  await anonymous.get('/v1/vat/keys', { authorization: `Bearer ${keys.developer}x` })
  await anonymous.get('/v1/vat/keys', { authorization: `DPoP ${agent.compact_jwt}` })
  await anonymous.get('/v1/vat/keys', { authorization: `Bearer ${agent.compact_jwt}` })
  await anonymous.get('/v1/vat/policies', {
    ...dpop(key, 'POST', '/v1/vat/policies', agent.compact_jwt, app.test.clock()),
    dpop: String(proofs[0]),
  })
  await anonymous.get('/v1/vat/keys', { cookie: `deputy_session=${secret.slice(1)}A` })
  await anonymous.post('/v1/vat/revoke', { vat_jti: agent.jti }, cookie)
  await anonymous.post('/v1/vat/authorize', action, { ...shown, 'deputy-token': `${agent.compact_jwt}x` })
  await act.post(`/v1/vat/aar/${done.aar_id}/feedback`, { rating: WORDS.wrong })
  await developer.post('/v1/vat/issue/l1', { ...anIssueRequest(), developer_email: WORDS.wrong })
  await developer.post('/v1/vat/issue/l1', `{"developer_email":"${WORDS.email}"`)
  await developer.post('/v1/vat/auth/oidc/start', { provider: 'company' })
  await person.get('/v1/vat/keys')
  await okBody(person.post('/v1/vat/revoke', { vat_jti: loose.jti, reason: WORDS.reason }))

  const secrets = {
    ...keys,
    rotated: rotated.key,
    api_key_secret: keys.developer.split('_')[2],
    setup_secret,
    session: secret,
    csrf_token,
    client_secret,
    token: agent.compact_jwt,
    token_signature: agent.compact_jwt.split('.')[2],
    loose_token: loose.compact_jwt,
    loose_token_signature: loose.compact_jwt.split('.')[2],
    proof: proofs[0],
    proof_signature: proofs[0]?.split('.')[2],
    proof_name: 'canary-proof',
    private_key: key.private_key.export({ format: 'jwk' }).d,
  }
  const size = await app.test.logSize()
  const public_places = {
    log: heard.log.join('\n'),
    problems: heard.problems.join('\n'),
    metrics: String(await okBody(app.operator.get('/metrics'))),
    leaves: (await app.test.leafTexts()).join('\n'),
    hashes: String(await okBody(app.anonymous.get(`/tile/0/000.p/${size}`))),
    entries: String(await okBody(app.operator.get(`/tile/entries/000.p/${size}`))),
  }
  const exported = JSON.stringify(
    await okBody(person.get(`/v1/vat/aar/provenance/${agent.provenance_ref}/export?format=ndjson`)),
  )
  const disk = await kept(app)

  assert.ok(heard.problems.length >= 12, `${heard.problems.length} refusals`)
  assert.match(public_places.log, /access denied/)
  assert.match(public_places.metrics, /deputy_security_events_total/)
  assert.match(public_places.leaves, /action\.rated/)
  assert.match(exported, /aar_/)
  assert.ok(Object.values(disk).some((text) => text.includes(agent.jti)))
  for (const [place, text] of Object.entries({ ...public_places, ...disk, exported })) {
    for (const [name, value] of Object.entries(secrets)) {
      assert.ok(typeof value === 'string' && value.length >= 8, name)
      assert.ok(!text.includes(value), `${place} shows ${name}`)
    }
  }
  for (const [place, text] of Object.entries({ ...public_places, ...disk }))
    for (const [name, value] of Object.entries(WORDS))
      assert.ok(!text.includes(value), `${place} shows ${name}`)
})
