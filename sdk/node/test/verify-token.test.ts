import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, describe, test } from 'node:test'
import { deputy, newAgentKey, TokenRefused, tokenVerifier, verifyReceipt, verifyToken } from '@deputize/sdk'
import { aKeyedDeployment, anOpenDeployment } from '@deputize/testing/a-deployment.ts'
import { eventually } from '@deputize/testing/eventually.ts'
import {
  CONTEXT,
  CONTEXT_WITH_WITHDRAWN,
  OPTIONS,
  protocolVerdict,
  TOKENS,
} from '@deputize/testing/sdk-vectors.ts'
import { TokenError } from '../../../protocol/src/token/jws.ts'
import { verifyCompact } from '../src/verify/verify-compact.ts'

const { client, url, token } = await anOpenDeployment({ after })

const refusal = (call: Promise<unknown>): Promise<unknown> =>
  call.then(
    () => 'ok',
    (error: unknown) => {
      assert.ok(error instanceof TokenRefused, String(error))
      return error.code
    },
  )

describe('verifyToken on the shared vectors', () => {
  test('gives the same result as the protocol for every token', async () => {
    let accepted = 0
    for (const jwt of TOKENS) {
      const expected = protocolVerdict(jwt, CONTEXT)
      const seen = await verifyToken(jwt, OPTIONS).then(
        ({ claims }) => claims,
        (error) => error.code,
      )
      assert.deepEqual(seen, expected, jwt)
      if (typeof expected !== 'string') accepted += 1
    }
    assert.equal(accepted, 3)
    assert.ok(TOKENS.length > 500)
  })

  test('rejects withdrawn keys', async () => {
    const codes = new Set<unknown>()
    for (const jwt of TOKENS) {
      const seen = await verifyCompact(jwt, CONTEXT_WITH_WITHDRAWN).catch((error) => {
        assert.ok(error instanceof TokenError)
        return error.code
      })
      assert.deepEqual(seen, protocolVerdict(jwt, CONTEXT_WITH_WITHDRAWN))
      codes.add(seen)
    }
    assert.ok(codes.has('withdrawn_key') && codes.has('bad_signature'))
  })
})

describe('verifyToken', () => {
  test('accepts a pinned issuer of open mode under its URL and under the URN of early versions', async () => {
    const { compact_jwt, claims } = await token()
    const instance = claims.iss.split('/').at(-1)
    assert.equal(claims.iss, `${url}/open/${instance}`)
    assert.equal(claims.status?.status_list.uri, `${url}/v1/vat/status-list`)
    for (const issuer of [claims.iss, `urn:deputy:open:${instance}`, `http://localhost/open/${instance}`])
      assert.equal(await refusal(verifyToken(compact_jwt, { url, issuer })), 'ok', issuer)
    for (const issuer of [url, `urn:deputy:open:${instance}0`, `${url}/open`])
      assert.equal(await refusal(verifyToken(compact_jwt, { url, issuer })), 'wrong_issuer', issuer)
  })

  test('accepts a token from the service, with the time of its revocation data', async () => {
    const { compact_jwt, claims, jti } = await token()
    const asked_ms = Date.now()
    const verified = await verifyToken(compact_jwt, { url })
    assert.deepEqual([verified.claims, verified.jti, verified.agent_id], [claims, jti, 'agent:calendar-bot'])
    const age_ms = asked_ms - Date.parse(verified.standing?.as_of ?? '')
    assert.ok(age_ms < 10_000, String(age_ms))
  })

  test('accepts only a token for the given audience', async () => {
    const { compact_jwt } = await token({ audience: 'https://calendar.example' })
    assert.equal(await refusal(verifyToken(compact_jwt, { url, audience: 'https://calendar.example' })), 'ok')
    assert.equal(
      await refusal(verifyToken(compact_jwt, { url, audience: 'https://mail.example' })),
      'wrong_audience',
    )
    assert.equal(
      await refusal(verifyToken(compact_jwt, { url, issuer: 'https://other.example' })),
      'wrong_issuer',
    )
  })

  test('rejects a revoked token and all its descendants within the promised time', async () => {
    const verifier = tokenVerifier({ url, fresh_s: 0 })
    const issued = await token()
    const child = await client
      .withAuthority(issued)
      .delegate({ agent_id: 'sub', actions: ['read', 'delegate'] })
    const below = await child.delegate({ agent_id: 'sub-sub' })
    const deeper = [issued.compact_jwt, child.compact_jwt ?? '', below.compact_jwt ?? '']
    for (const jwt of deeper) assert.equal(await refusal(verifier.verify(jwt)), 'ok')
    await client.revokeToken({ vat_jti: child.jti })
    // The feed names the child and its parent at once; the status list covers the whole chain a few seconds later.
    assert.equal(await refusal(verifier.verify(child.compact_jwt ?? '')), 'token_revoked')
    assert.equal(await refusal(verifier.verify(below.compact_jwt ?? '')), 'token_revoked')
    assert.equal(await refusal(verifier.verify(issued.compact_jwt)), 'ok')
    const isRevoked = async () =>
      (await refusal(tokenVerifier({ url }).verify(below.compact_jwt ?? ''))) === 'token_revoked'
    await eventually('a verifier that starts later refuses the whole chain', isRevoked)
  })

  test('rejects the renewals of a stopped token and the tokens below them', async () => {
    for (const stopped of ['token_revoked', 'token_suspended']) {
      const verifier = tokenVerifier({ url, fresh_s: 0 })
      const root = await token()
      const actions = ['read', 'delegate']
      const child = await client.delegate({ vat_jti: root.jti, agent_id: 'renewing', actions })
      const renewed = await client.renewToken({ vat_jti: child.jti, expires_in: 600 })
      const again = await client.renewToken({ vat_jti: renewed.jti, expires_in: 600 })
      const below = await Promise.all(
        [renewed, again].map(({ jti }) =>
          client.delegate({ vat_jti: jti, agent_id: 'below', actions: ['read'] }),
        ),
      )
      const dependants = [child, renewed, again, ...below]
      const verdicts = (tokens: readonly { readonly compact_jwt: string }[]) =>
        Promise.all(tokens.map(({ compact_jwt }) => refusal(verifier.verify(compact_jwt))))
      assert.deepEqual(new Set(await verdicts([root, ...dependants])), new Set(['ok']))
      if (stopped === 'token_revoked') await client.revokeToken({ vat_jti: child.jti })
      else await client.suspendToken({ jti: child.jti })
      // Claims name the token that a renewal renews. The others need the next status list.
      assert.deepEqual(await verdicts([child, renewed]), [stopped, stopped])
      const areStopped = async () => (await verdicts(dependants)).every((verdict) => verdict === stopped)
      await eventually('the status list names every token below', areStopped)
      assert.deepEqual(await verdicts([root]), ['ok'])
    }
  })

  test('rejects suspended tokens, and tokens of revoked agents and people', async () => {
    const verifier = tokenVerifier({ url, fresh_s: 0 })
    const suspended = await token()
    await refusal(verifier.verify(suspended.compact_jwt))
    await client.suspendToken({ jti: suspended.jti })
    assert.equal(await refusal(verifier.verify(suspended.compact_jwt)), 'token_suspended')
    const ofAgent = await token({ agent_id: 'rogue' })
    await client.revokeAgent({ agent_id: 'rogue' })
    assert.equal(await refusal(verifier.verify(ofAgent.compact_jwt)), 'token_revoked')
    const ofHuman = await token({ developer_email: 'gone@example.com' })
    await client.revokeHuman({ human_ref: ofHuman.claims.svc_human_ref })
    assert.equal(await refusal(verifier.verify(ofHuman.compact_jwt)), 'token_revoked')
    const isAccepted = async () => {
      const later = await token({ developer_email: 'gone@example.com' })
      return (await refusal(verifier.verify(later.compact_jwt))) === 'ok'
    }
    await eventually('a token that is issued after the second of the revocation is accepted', isAccepted)
  })

  test('rejects every token of a withdrawn key while it still holds the old key set', async (t) => {
    const own = await anOpenDeployment(t)
    const verifier = tokenVerifier({ url: own.url, fresh_s: 0 })
    const { compact_jwt, jti } = await own.token()
    assert.equal(await refusal(verifier.verify(compact_jwt)), 'ok')
    const [{ kid = '' } = {}] = (await own.client.listSigningKeys()).data
    await own.client.withdrawSigningKey({ kid, from: new Date().toISOString() })
    assert.equal(await refusal(verifier.verify(compact_jwt)), 'withdrawn_key')
    assert.equal(await refusal(tokenVerifier({ url: own.url }).verify(compact_jwt)), 'unknown_key')
    const fresh = await own.token()
    assert.notEqual(fresh.jti, jti)
    assert.equal(await refusal(verifier.verify(fresh.compact_jwt)), 'ok') // the next key was published before
  })

  test('learns without a credential that a key was withdrawn', async (t) => {
    const keyed = await aKeyedDeployment(t)
    const verifier = tokenVerifier({ url: keyed.url, fresh_s: 0 })
    const { compact_jwt } = await keyed.token({ agent_jwk: (await newAgentKey()).jwk })
    assert.equal(await refusal(verifier.verify(compact_jwt)), 'ok')
    const [{ kid = '' } = {}] = (await keyed.operator.listSigningKeys()).data
    await keyed.operator.withdrawSigningKey({ kid, from: new Date().toISOString() })
    // The key has also left the key set, which may be fetched again first.
    const isRefused = async () =>
      ['withdrawn_key', 'unknown_key'].includes(String(await refusal(verifier.verify(compact_jwt))))
    await eventually('the status list names the key', isRefused)
  })

  test('believes a status list only from the key for status lists', async () => {
    const { compact_jwt } = await token()
    const { keys } = await client.getKeySet()
    const listKey = keys.find(({ purpose }) => purpose === 'status_lists')
    const standing = (purpose: string) =>
      refusal(
        verifyToken(compact_jwt, {
          url,
          fetch: async (...args) => {
            const answer = await fetch(...args)
            if (!answer.url.endsWith('jwks.json')) return answer
            const changed = keys.map((key) => (key.kid === listKey?.kid ? { ...key, purpose } : key))
            return Response.json({ keys: changed })
          },
        }),
      )
    assert.deepEqual(
      [await standing('status_lists'), await standing('tokens')],
      ['ok', 'standing_unavailable'],
    )
  })

  test('rejects a token that expires while its revocations are read', async () => {
    let late_ms = 0
    const slow: typeof fetch = async (input, init) => {
      const response = await fetch(input, init)
      if (String(input).includes('status')) late_ms = 30_000
      return response
    }
    const { compact_jwt } = await token({ expires_in: 20 })
    const clock = () => Date.now() + late_ms
    assert.equal(await refusal(tokenVerifier({ url, clock, fetch: slow }).verify(compact_jwt)), 'expired')
    assert.equal(late_ms, 30_000)
  })

  test('keeps working for a limited time without the service', async (t) => {
    const own = await anOpenDeployment(t)
    let now_ms = Date.now()
    const verifier = tokenVerifier({ url: own.url, clock: () => now_ms, max_stale_s: 30 })
    const { compact_jwt } = await own.token()
    assert.equal(await refusal(verifier.verify(compact_jwt)), 'ok')
    await own.program.kill()
    now_ms += 29_000
    assert.equal(await refusal(verifier.verify(compact_jwt)), 'ok')
    now_ms += 2_000
    assert.equal(await refusal(verifier.verify(compact_jwt)), 'standing_unavailable')
    const never = tokenVerifier({ url: own.url })
    assert.equal(await refusal(never.verify(compact_jwt)), 'keys_unavailable')
  })

  test('has the next key before it is used for signing, so a rotation needs no fetch', async (t) => {
    const own = await anOpenDeployment(t)
    let reads = 0
    const counted: typeof fetch = (input, init) => {
      if (String(input).endsWith('/jwks.json')) reads += 1
      return fetch(input, init)
    }
    const verifier = tokenVerifier({ url: own.url, fetch: counted })
    const first = await own.token()
    assert.equal(await refusal(verifier.verify(first.compact_jwt)), 'ok')
    await own.client.rotateSigningKey()
    const rotated = await own.token()
    for (const { compact_jwt } of [first, rotated])
      assert.equal(await refusal(verifier.verify(compact_jwt)), 'ok')
    assert.equal(reads, 1)
  })

  test('fetches a new key when a token names it, whatever unknown keys strangers name meanwhile', async (t) => {
    const own = await anOpenDeployment(t)
    let reads = 0
    const counted: typeof fetch = (input, init) => {
      if (String(input).endsWith('/jwks.json')) reads += 1
      return fetch(input, init)
    }
    const verifier = tokenVerifier({ url: own.url, fetch: counted, revocations: false })
    const first = await own.token()
    assert.equal(await refusal(verifier.verify(first.compact_jwt)), 'ok')
    assert.equal(reads, 1)
    const flood = () => Array.from({ length: 100 }, () => refusal(verifier.verify(strangerOf(first))))
    for (let round = 0; round < 2; round += 1) {
      const [{ kid = '' } = {}] = (await own.client.listSigningKeys()).data
      await own.client.withdrawSigningKey({ kid, from: new Date().toISOString() })
      const flooding = flood()
      const renewed = await own.token()
      assert.equal(await refusal(verifier.verify(renewed.compact_jwt)), 'ok')
      for (const code of await Promise.all(flooding)) assert.equal(code, 'unknown_key')
    }
    // Hundreds of unknown keys in at least a second: one fetch a second, and a second one for callers that arrived
    // during it.
    assert.ok(reads <= 6, String(reads))
    assert.equal(await refusal(verifier.verify(first.compact_jwt)), 'unknown_key')
  })

  test('needs no credential in keyed mode, but learns of revocations sooner with one', async (t) => {
    const keyed = await aKeyedDeployment(t)
    const key = await keyed.resourceServerKey('https://calendar.example')
    const issued = await keyed.token({ agent_jwk: (await newAgentKey()).jwk })
    const anonymous = tokenVerifier({ url: keyed.url, fresh_s: 0 })
    const known = tokenVerifier({ url: keyed.url, key, fresh_s: 0 })
    for (const verifier of [anonymous, known])
      assert.equal(await refusal(verifier.verify(issued.compact_jwt)), 'ok')
    await keyed.client.revokeToken({ vat_jti: issued.jti })
    assert.equal(await refusal(known.verify(issued.compact_jwt)), 'token_revoked')
    const isRevoked = async () => (await refusal(anonymous.verify(issued.compact_jwt))) === 'token_revoked'
    await eventually('a verifier without a credential learns of the revocation', isRevoked)
  })

  test('learns of revoked agents at once in the tenant of its key, and from the list in other tenants', async (t) => {
    const keyed = await aKeyedDeployment(t)
    await keyed.operator.createTenant({ tenant_id: 'acme' })
    const made = { tenant_id: 'acme', name: 'acme' }
    const developer = await keyed.operator.createKey({ ...made, role: 'developer' })
    const { key } = await keyed.operator.createKey({ ...made, role: 'resource_server', audience: 'acme' })
    const acme = deputy({ url: keyed.url, key: developer.key })
    const { jwk: agent_jwk } = await newAgentKey()
    const scope = { resources: ['calendar:events'], actions: ['read'], developer_email: 'dev@example.com' }
    const theirs = await acme.issueL1({ ...scope, agent_id: 'calendar-bot', agent_jwk })
    const other = await keyed.token({ agent_jwk })
    const verifier = tokenVerifier({ url: keyed.url, key, fresh_s: 0 })
    for (const { compact_jwt } of [theirs, other])
      assert.equal(await refusal(verifier.verify(compact_jwt)), 'ok')
    await acme.revokeAgent({ agent_id: 'calendar-bot' })
    assert.equal(await refusal(verifier.verify(theirs.compact_jwt)), 'token_revoked')
    await keyed.client.revokeAgent({ agent_id: 'calendar-bot' })
    const revoked_at_ms = Date.now()
    await eventually('the status list names the token of the other tenant', async () => {
      const verified = await verifier.verify(other.compact_jwt).catch(() => undefined)
      // It never claims to know more than it does.
      if (verified !== undefined) assert.ok(Date.parse(verified.standing?.as_of ?? '') < revoked_at_ms)
      return verified === undefined
    })
    assert.equal(await refusal(verifier.verify(other.compact_jwt)), 'token_revoked')
  })
})

/** Returns the token as if it named a key that doesn't exist. */
function strangerOf({ compact_jwt }: { readonly compact_jwt: string }): string {
  const [header = '', ...rest] = compact_jwt.split('.')
  const members = { ...JSON.parse(Buffer.from(header, 'base64url').toString()), kid: randomUUID() }
  return [Buffer.from(JSON.stringify(members)).toString('base64url'), ...rest].join('.')
}

describe('verifyReceipt', () => {
  test('accepts a receipt under the pinned key and rejects any change', async () => {
    const issued = await token()
    const id = await client.withAuthority(issued).run('read', 'calendar:events', ({ aar_id }) => aar_id)
    const receipt = await client.getReceipt({ id })
    const { log } = await client.getDeployment()
    const sound = await verifyReceipt(receipt, { log: log.vkey })
    assert.deepEqual([sound.aar_id, sound.pinned], [id, true])
    assert.deepEqual(
      sound.entries.map(({ kind }) => kind),
      ['created', 'completed'],
    )
    assert.equal((await verifyReceipt(receipt)).pinned, false)
    const other = await anOpenDeployment({ after })
    const foreign = (await other.client.getDeployment()).log.vkey
    await assert.rejects(verifyReceipt(receipt, { log: foreign }), {
      name: 'ReceiptRefused',
      code: 'origin_changed',
    })
    const changed = structuredClone(receipt)
    const [entry] = changed.entries
    if (entry !== undefined) entry.leaf = entry.leaf.replace('calendar:events', 'calendar:others')
    await assert.rejects(verifyReceipt(changed, { log: log.vkey }), {
      name: 'ReceiptRefused',
      code: 'leaf_hash_wrong',
    })
    await assert.rejects(verifyReceipt({}, {}), { name: 'ReceiptRefused', code: 'receipt_malformed' })
    await assert.rejects(verifyReceipt(receipt, { log: 'no key' }), TypeError)
  })
})
