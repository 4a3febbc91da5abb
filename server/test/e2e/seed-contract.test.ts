import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { LEVELS, readEd25519Jwk, verifySignedToken } from '@deputize/protocol'
import type { Answer } from '@deputize/testing/a-test-app.ts'
import { anIssueRequest } from '@deputize/testing/an-issue-request.ts'
import { rawExchange, rawRequest, statusOf } from '@deputize/testing/raw-http.ts'
import { createLocalJWKSet, decodeProtectedHeader, jwtVerify } from 'jose'
import { aService } from './a-service.ts'

const HASH = /^sha256:[0-9a-f]{64}$/
const INSTANT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/

const { client, url } = await aService({ after })

async function ok(answer: Promise<Answer>): Promise<Answer['body']> {
  const { status, body } = await answer
  assert.equal(status, 200, JSON.stringify(body))
  return body
}

const issue = (changes?: Record<string, unknown>) =>
  ok(client.post('/v1/vat/issue/l1', anIssueRequest(changes)))
const anAction = (vat_jti: string, changes: Record<string, unknown> = {}) => ({
  vat_jti,
  action: 'read',
  resource: 'calendar:events',
  ...changes,
})
const record = (vat_jti: string, changes: Record<string, unknown> = {}) =>
  ok(client.post('/v1/vat/record/action', anAction(vat_jti, { result: 'success', ...changes })))
const authorize = (vat_jti: string, changes: Record<string, unknown> = {}) =>
  ok(client.post('/v1/vat/authorize', anAction(vat_jti, changes)))
const rate = (aar_id: string, rating: string, note?: string) =>
  ok(client.post(`/v1/vat/aar/${aar_id}/feedback`, { rating, ...(note !== undefined && { note }) }))
const recordOf = (aar_id: string) => ok(client.get(`/v1/vat/aar/${aar_id}`))
const provenance = (ref: string) => ok(client.get(`/v1/vat/aar/provenance/${ref}`))
const reputation = (agent_id: string) => ok(client.get(`/v1/vat/reputation/${agent_id}`))

let agents = 0
const aNewAgent = () => `bot-${++agents}`

describe('POST /v1/vat/issue/l1', () => {
  test('returns exactly jti, provenance_ref, compact_jwt and claims', async () => {
    const token = await issue()
    assert.deepEqual(Object.keys(token).sort(), ['claims', 'compact_jwt', 'jti', 'provenance_ref'])
    assert.match(token.jti, /^vat_root_[a-z0-9]{20,}$/)
    assert.match(token.provenance_ref, /^prov_[a-z0-9]{20,}$/)
  })

  test('gives every token its own ID and workflow', async () => {
    const tokens = await Promise.all(Array.from({ length: 20 }, () => issue()))
    assert.equal(new Set(tokens.map(({ jti }) => jti)).size, 20)
    assert.equal(new Set(tokens.map(({ provenance_ref }) => provenance_ref)).size, 20)
  })

  test('puts the base trust of L1 and the requested scope into the claims', async () => {
    const scope = { resources: ['email:read', 'files:*'], actions: ['summarise', 'delegate'] }
    const { claims } = await issue(scope)
    assert.equal(claims.svc_trust_score, 0.4)
    assert.deepEqual(claims.svc_scope, scope)
    assert.equal(claims.svc_assurance_level, 'L1')
    assert.equal(claims.svc_delegation_depth, 0)
  })

  test('signs with Ed25519, named EdDSA in the header', async () => {
    const { compact_jwt } = await issue()
    const { keys } = await ok(client.get('/.well-known/jwks.json'))
    const header = decodeProtectedHeader(compact_jwt)
    assert.equal(header.alg, 'EdDSA')
    assert.equal(header.typ, 'vat+jwt')
    assert.equal(header.kid, keys[0].kid)
    assert.equal(keys[0].crv, 'Ed25519')
    assert.ok(!('d' in keys[0]), 'the private part is never published')
  })

  test('returns claims equal to the payload that jose verifies with the published keys', async () => {
    const { compact_jwt, claims } = await issue({ constraints: { max_spend_usd: 5 }, audience: 'mail' })
    const keys = createLocalJWKSet(await ok(client.get('/.well-known/jwks.json')))
    const { payload } = await jwtVerify(compact_jwt, keys, {
      algorithms: ['EdDSA'],
      typ: 'vat+jwt',
      issuer: claims.iss,
      audience: 'mail',
      requiredClaims: ['iss', 'sub', 'iat', 'nbf', 'exp', 'jti'],
    })
    assert.deepEqual(payload, claims)
  })

  test('returns a token that our verifier accepts, and rejects once a character is changed', async () => {
    const { compact_jwt, claims } = await issue()
    const { issuer } = await ok(client.get('/.well-known/deputy.json'))
    const { keys } = await ok(client.get('/.well-known/jwks.json'))
    const context = {
      now_s: Math.floor(Date.now() / 1000),
      issuer,
      typ: 'vat+jwt',
      key: (kid: string) => {
        const found = keys.find((key: { kid: string }) => key.kid === kid)
        if (found === undefined) return undefined
        const { kty, crv, x } = found
        return { kid, alg: 'EdDSA' as const, jwk: readEd25519Jwk({ kty, crv, x }) }
      },
    }
    assert.deepEqual(verifySignedToken(compact_jwt, context), claims)
    const [head, body, signature] = compact_jwt.split('.')
    const forged = `${head}.${body}.${signature[0] === 'A' ? 'B' : 'A'}${signature.slice(1)}`
    assert.throws(() => verifySignedToken(forged, context), { code: 'bad_signature' })
  })

  test('carries a budget in the token and enforces it', async () => {
    const { jti, claims } = await issue({ constraints: { max_spend_usd: 0.5 } })
    assert.deepEqual(claims.svc_constraints, { max_spend_usd: 0.5 })
    await record(jti, { spend_usd: 0.5 })
    const { authorized, reasons } = await authorize(jti, { spend_usd: 0.000001 })
    assert.equal(authorized, false)
    assert.deepEqual(reasons, ['budget_exceeded'])
  })

  test('requires e-mail, agent, resources and actions, and nothing else', async () => {
    for (const missing of ['developer_email', 'agent_id', 'resources', 'actions']) {
      const { [missing]: _, ...rest } = anIssueRequest()
      const { status, body } = await client.post('/v1/vat/issue/l1', rest)
      assert.equal(status, 400)
      assert.equal(body.code, 'invalid_request')
      assert.equal(body.errors[0].pointer, `/${missing}`)
    }
  })

  test('returns the base trust of every level', () => {
    const trust = Object.entries(LEVELS).map(([level, { base_trust }]) => [level, base_trust])
    assert.deepEqual(trust, [
      ['L1', 0.4],
      ['L2', 0.7],
      ['L3', 0.95],
    ])
  })
})

describe('POST /v1/vat/record/action', () => {
  test('returns exactly recorded, aar_id, provenance_ref, trust_score and delegation_depth', async () => {
    const { jti, provenance_ref } = await issue()
    const { aar_id, ...rest } = await record(jti)
    assert.match(aar_id, /^aar_[a-z0-9]{20,}$/)
    assert.deepEqual(rest, { recorded: true, provenance_ref, trust_score: 0.4, delegation_depth: 0 })
  })

  test('creates a completed record with the reported outcome', async () => {
    const { jti } = await issue()
    for (const result of ['success', 'error']) {
      const { aar_id } = await record(jti, { result })
      const kept = await recordOf(aar_id)
      assert.equal(kept.state, 'completed')
      assert.equal(kept.result, result)
      assert.equal(kept.assurance_level, 'L1')
    }
  })
})

describe('POST /v1/vat/authorize', () => {
  test('authorizes an action within the scope and creates a pending record', async () => {
    const { jti, provenance_ref, claims } = await issue()
    const answer = await authorize(jti)
    assert.equal(answer.authorized, true)
    assert.match(answer.aar_id, /^aar_/)
    assert.equal(answer.trust_score, 0.4)
    assert.equal(answer.provenance_ref, provenance_ref)
    assert.match(answer.human_ref, HASH)
    assert.equal(answer.human_ref, claims.svc_human_ref)
    assert.equal(answer.assurance_level, 'L1')
    const kept = await recordOf(answer.aar_id)
    assert.equal(kept.state, 'pending')
    assert.ok(!('result' in kept))
  })

  test('denies an action outside the scope, without an error or a record', async () => {
    const { jti, provenance_ref } = await issue()
    for (const [changes, reason] of [
      [{ action: 'delete' }, 'action_not_in_scope'],
      [{ resource: 'calendar:settings' }, 'resource_not_in_scope'],
      [{ action: 'Read' }, 'action_not_in_scope'],
    ] as const) {
      const answer = await authorize(jti, changes)
      assert.equal(answer.authorized, false)
      assert.deepEqual(answer.reasons, [reason])
      assert.ok(!('aar_id' in answer))
    }
    assert.equal((await provenance(provenance_ref)).total_records, 0)
  })

  test('gives each e-mail address its own human_ref, which never contains the address', async () => {
    const [ann, annAgain, bob] = await Promise.all(
      ['ann@example.com', 'ann@example.com', 'bob@example.com'].map((developer_email) =>
        issue({ developer_email }),
      ),
    )
    assert.equal(ann.claims.svc_human_ref, annAgain.claims.svc_human_ref)
    assert.notEqual(ann.claims.svc_human_ref, bob.claims.svc_human_ref)
    assert.ok(!JSON.stringify(ann).includes('ann@example.com'))
  })
})

describe('POST /v1/vat/aar/{id}/complete', () => {
  test('closes a pending record with result and result_hash', async () => {
    const { jti } = await issue()
    const { aar_id } = await authorize(jti)
    const result_hash = `sha256:${'ab'.repeat(32)}`
    const closed = await ok(client.post(`/v1/vat/aar/${aar_id}/complete`, { result: 'success', result_hash }))
    assert.equal(closed.aar_id, aar_id)
    assert.equal(closed.state, 'completed')
    assert.equal(closed.result, 'success')
    assert.equal(closed.result_hash, result_hash)
    assert.deepEqual(await recordOf(aar_id), closed)
  })

  test('counts the result in the execution score only then', async () => {
    const agent_id = aNewAgent()
    const { jti } = await issue({ agent_id })
    const { aar_id } = await authorize(jti)
    assert.equal((await reputation(agent_id)).execution_score, 0.5)
    await ok(client.post(`/v1/vat/aar/${aar_id}/complete`, { result: 'error' }))
    const { execution_score, total_actions } = await reputation(agent_id)
    assert.equal(execution_score, 0)
    assert.equal(total_actions, 1)
  })
})

describe('POST /v1/vat/aar/{id}/feedback', () => {
  for (const rating of ['approved', 'flagged', 'rejected']) {
    test(`accepts ${rating} and returns exactly aar_id, rating and feedback_at`, async () => {
      const { jti } = await issue()
      const { aar_id } = await record(jti)
      const answer = await rate(aar_id, rating, 'a note of mine')
      assert.deepEqual(Object.keys(answer).sort(), ['aar_id', 'feedback_at', 'rating'])
      assert.equal(answer.aar_id, aar_id)
      assert.equal(answer.rating, rating)
      assert.match(answer.feedback_at, INSTANT)
      const kept = await recordOf(aar_id)
      assert.equal(kept.rating, rating)
      assert.equal(kept.feedback_at, answer.feedback_at)
      assert.equal(kept.note, 'a note of mine')
    })
  }

  test('requires no note, and refuses any other rating', async () => {
    const { jti } = await issue()
    const { aar_id } = await record(jti)
    const { status, body } = await client.post(`/v1/vat/aar/${aar_id}/feedback`, { rating: 'great' })
    assert.equal(status, 400)
    assert.equal(body.code, 'invalid_request')
    await rate(aar_id, 'approved')
    assert.ok(!('note' in (await recordOf(aar_id))))
  })

  test('never changes a rating once it is set', async () => {
    const agent_id = aNewAgent()
    const { jti } = await issue({ agent_id })
    const { aar_id } = await record(jti)
    const first = await rate(aar_id, 'flagged', 'the first note')
    const kept = await recordOf(aar_id)
    for (const again of [{ rating: 'approved' }, { rating: 'rejected', note: 'x' }, { rating: 'flagged' }]) {
      const { status, body } = await client.post(`/v1/vat/aar/${aar_id}/feedback`, again)
      assert.equal(status, 409)
      assert.equal(body.code, 'rating_immutable')
      assert.equal(body.rating, 'flagged')
      assert.equal(body.feedback_at, first.feedback_at)
    }
    assert.deepEqual(await recordOf(aar_id), kept)
    assert.equal((await reputation(agent_id)).feedback_score, 0.5)
  })
})

describe('GET /v1/vat/reputation/{agent_id}', () => {
  test('is 1.0 in all three scores for an agent that only succeeds and is only approved', async () => {
    const agent_id = aNewAgent()
    const { jti } = await issue({ agent_id })
    for (let n = 0; n < 3; n++) await rate((await record(jti)).aar_id, 'approved')
    const answer = await reputation(agent_id)
    assert.equal(answer.agent_id, `agent:${agent_id}`)
    assert.equal(answer.total_actions, 3)
    assert.equal(answer.execution_score, 1)
    assert.equal(answer.feedback_score, 1)
    assert.equal(answer.combined_reputation, 1)
    assert.equal(answer.has_human_feedback, true)
  })

  test('weighs outcomes 60 percent and ratings 40 percent', async () => {
    const agent_id = aNewAgent()
    const { jti } = await issue({ agent_id })
    const records = []
    for (const result of ['success', 'success', 'success', 'error'])
      records.push(await record(jti, { result }))
    await rate(records[0].aar_id, 'approved')
    await rate(records[1].aar_id, 'approved')
    await rate(records[2].aar_id, 'flagged')
    await rate(records[3].aar_id, 'rejected')
    const { execution_score, feedback_score, combined_reputation } = await reputation(agent_id)
    assert.equal(execution_score, 0.75)
    assert.equal(feedback_score, 0.625)
    assert.equal(combined_reputation, 0.6 * 0.75 + 0.4 * 0.625)
  })

  test('uses 0.5 for ratings if there are none, and reports that', async () => {
    const agent_id = aNewAgent()
    await record((await issue({ agent_id })).jti)
    const answer = await reputation(agent_id)
    assert.equal(answer.has_human_feedback, false)
    assert.equal(answer.feedback_score, 0.5)
    assert.equal(answer.combined_reputation, 0.6 * 1 + 0.4 * 0.5)
  })

  test('counts the actions of an agent under all of its tokens', async () => {
    const agent_id = aNewAgent()
    for (let n = 0; n < 3; n++) await record((await issue({ agent_id })).jti)
    assert.equal((await reputation(agent_id)).total_actions, 3)
  })
})

describe('GET /v1/vat/aar/provenance/{ref}', () => {
  test('sums up all records of the workflow, and no others', async () => {
    const { jti, provenance_ref } = await issue()
    await record((await issue()).jti)
    await record(jti)
    await record(jti, { action: 'write', result: 'error' })
    await record(jti, { action: 'write', resource: 'email:read' })
    await authorize(jti)
    await authorize(jti, { action: 'delete' })
    assert.deepEqual(await provenance(provenance_ref), {
      provenance_ref,
      total_records: 4,
      unique_agents: 1,
      actions_by_type: { read: 2, write: 2 },
      results_by_type: { success: 2, error: 1 },
    })
  })

  test('counts actions that are named like built-in properties', async () => {
    const actions = ['__proto__', 'constructor', 'toString', 'hasOwnProperty']
    const { jti, provenance_ref } = await issue({ actions })
    for (const action of actions) await record(jti, { action })
    const { actions_by_type } = await provenance(provenance_ref)
    assert.deepEqual(Object.entries(actions_by_type).sort(), actions.map((action) => [action, 1]).sort())
  })
})

describe('the rules', () => {
  test('one revoke of the root stops the token at once and permanently, and keeps its records', async () => {
    const { jti, provenance_ref } = await issue()
    const { aar_id } = await record(jti)
    const pending = await authorize(jti)
    const revoked = await ok(client.post('/v1/vat/revoke', { vat_jti: jti }))
    assert.equal(revoked.revoked, true)
    assert.equal(revoked.jti, jti)

    const { authorized, reasons } = await authorize(jti)
    assert.equal(authorized, false)
    assert.deepEqual(reasons, ['token_revoked'])
    const { status, body } = await client.post('/v1/vat/record/action', anAction(jti, { result: 'success' }))
    assert.equal(status, 403)
    assert.equal(body.code, 'not_allowed')
    assert.equal(body.recorded, false)

    assert.equal((await recordOf(aar_id)).state, 'completed')
    const late = await ok(client.post(`/v1/vat/aar/${pending.aar_id}/complete`, { result: 'success' }))
    assert.equal(late.completed_after_revocation, true)
    assert.equal((await provenance(provenance_ref)).total_records, 2)
  })

  test('no example call needs headers other than Host and, with a body, Content-Type', async () => {
    const { host } = new URL(url)
    const call = async (line: string, body?: unknown) => {
      const text = JSON.stringify(body)
      const headers =
        body === undefined ? [] : ['Content-Type: application/json', `Content-Length: ${text.length}`]
      const answer = await rawExchange(url, rawRequest(line, [`Host: ${host}`, ...headers], text))
      assert.equal(statusOf(answer), 200, answer)
      return JSON.parse(answer.slice(answer.indexOf('\r\n\r\n')))
    }
    const agent_id = aNewAgent()
    const { jti, provenance_ref } = await call('POST /v1/vat/issue/l1', anIssueRequest({ agent_id }))
    const { aar_id } = await call('POST /v1/vat/record/action', anAction(jti, { result: 'success' }))
    const pending = await call('POST /v1/vat/authorize', anAction(jti))
    await call(`POST /v1/vat/aar/${pending.aar_id}/complete`, { result: 'success' })
    await call(`POST /v1/vat/aar/${aar_id}/feedback`, { rating: 'approved' })
    assert.equal((await call(`GET /v1/vat/reputation/${agent_id}`)).combined_reputation, 1)
    assert.equal((await call(`GET /v1/vat/aar/provenance/${provenance_ref}`)).total_records, 2)
  })
})
