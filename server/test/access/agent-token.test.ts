import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { CredentialError, memoryGuard, signCompact } from '@deputize/protocol'
import { aHolder, aProof, type Holder, type ProofChanges } from '@deputize/testing/a-holder.ts'
import { aTestApp } from '@deputize/testing/a-test-app.ts'
import { anIssueRequest } from '@deputize/testing/an-issue-request.ts'
import type { TestScope } from '@deputize/testing/scope.ts'
import { type AgentRequest, type AgentTokensContext, openAgentTokens } from '../../src/access/agent-token.ts'
import { proofNonces } from '../../src/access/proof-nonces.ts'
import { openKeyRing } from '../../src/keys/key-ring.ts'

const PUBLIC_URL = 'https://deputy.example'
const TARGET = '/v1/vat/authorize'

const BEARER = { scheme: 'Bearer' } as const

/** The fault and its reason, or 'ok'. */
async function verdictOf(call: Promise<unknown>): Promise<string> {
  try {
    await call
    return 'ok'
  } catch (error) {
    if (!(error instanceof CredentialError)) throw error
    return error.reason === error.fault ? error.fault : `${error.fault}: ${error.reason}`
  }
}

/** A service that issues tokens and verifies the tokens that agents present. */
async function anIssuer(scope: TestScope, changes: Partial<AgentTokensContext> = {}, age_ms = 60_000) {
  const service = await aTestApp(scope)
  const { clock, reader } = service
  const keys = openKeyRing(service.directory, clock(), false)
  const asked: string[] = []
  const guard = memoryGuard(clock() - age_ms)
  const nonces = proofNonces(new Uint8Array(32).fill(1), clock)
  const context: AgentTokensContext = {
    issuer: service.context.issuer,
    public_url: () => PUBLIC_URL,
    keys,
    issued(jti) {
      asked.push(jti)
      return reader.standing.token(jti)
    },
    allow_bearer: () => false,
    guard,
    nonces,
    clock,
    ...changes,
  }
  const agentTokens = openAgentTokens(context)

  async function issue(holder?: Holder, request: Record<string, unknown> = {}) {
    const body = anIssueRequest({ ...request, ...(holder !== undefined && { agent_jwk: holder.jwk }) })
    const answer = await service.post('/v1/vat/issue/l1', body)
    assert.equal(answer.status, 200)
    return answer.body as { jti: string; compact_jwt: string; claims: Record<string, unknown> }
  }

  function prove(holder: Holder, token: string, proof_changes: ProofChanges = {}): string {
    const made_for = { method: 'POST', url: `${PUBLIC_URL}${TARGET}`, token, now_ms: clock() }
    return aProof(holder, made_for, proof_changes)
  }

  function show(compact_jwt: string, request: Partial<AgentRequest> = {}) {
    return agentTokens.caller({
      scheme: 'DPoP',
      compact_jwt,
      proof: undefined,
      method: 'POST',
      target: TARGET,
      ...request,
    })
  }

  const verdict = (compact_jwt: string, request: Partial<AgentRequest> = {}) =>
    verdictOf(show(compact_jwt, request))

  return { service, clock, keys, context, asked, nonces, agentTokens, issue, prove, show, verdict }
}

describe('a token that a resource server forwards', () => {
  test('is accepted, unless its tenant requires a key and the token is not bound to one', async (context) => {
    for (const isAllowed of [false, true]) {
      const { agentTokens, issue } = await anIssuer(context, { allow_bearer: () => isAllowed })
      const { compact_jwt: bound } = await issue(aHolder())
      const { compact_jwt: unbound } = await issue()
      for (const _ of ['first', 'again']) {
        assert.equal(await verdictOf(agentTokens.presented(bound)), 'ok')
        assert.equal(await verdictOf(agentTokens.presented(unbound)), isAllowed ? 'ok' : 'bearer_refused')
      }
    }
  })
})

describe('an agent with a token bound to its key', () => {
  for (const alg of ['EdDSA', 'ES256'] as const)
    test(`is identified by its token and a proof with ${alg}`, async (context) => {
      const { issue, prove, show, service } = await anIssuer(context)
      const holder = aHolder(alg)
      const { jti, compact_jwt } = await issue(holder)
      const caller = await show(compact_jwt, { proof: prove(holder, compact_jwt) })
      const { name, proof_key, ...rest } = caller
      const provenance_ref = (await service.reader.chain(jti))?.[0].token.provenance_ref
      assert.deepEqual(rest, {
        role: 'agent',
        tenant_id: 'default',
        agent_id: 'calendar-bot',
        jti,
        provenance_ref,
        is_key_bound: true,
      })
      assert.deepEqual(proof_key, holder.jwk)
      assert.match(name, /^token:sha256:[0-9a-f]{64}$/)
      assert.ok(!name.includes(jti))
    })

  test('is refused without a proof, and with a proof of another key or for another request', async (context) => {
    const { issue, prove, verdict } = await anIssuer(context)
    const [holder, thief] = [aHolder(), aHolder()]
    const { compact_jwt } = await issue(holder)
    const other = await issue(holder)
    const proof = () => prove(holder, compact_jwt)
    const cases: [string, Partial<AgentRequest>][] = [
      ['proof_required', {}],
      ['proof_required', { scheme: 'Bearer' }],
      ['proof_required', { scheme: 'Bearer', proof: proof() }],
      ['proof_refused: malformed', { proof: '' }],
      ['proof_refused: malformed', { proof: `${proof()}, ${proof()}` }],
      ['proof_refused: other_key', { proof: prove(thief, compact_jwt) }],
      ['proof_refused: other_token', { proof: prove(holder, other.compact_jwt) }],
      ['proof_refused: other_method', { proof: proof(), method: 'GET' }],
      ['proof_refused: other_url', { proof: proof(), target: '/v1/vat/record/action' }],
      ['proof_refused: bad_signature', { proof: prove(holder, compact_jwt, { sign: thief.sign }) }],
      ['ok', { proof: proof() }],
      ['ok', { proof: proof(), target: `${TARGET}?a=b` }],
    ]
    for (const [expected, request] of cases) assert.equal(await verdict(compact_jwt, request), expected)
  })

  test('cannot use a proof twice', async (context) => {
    const { issue, prove, verdict } = await anIssuer(context)
    const holder = aHolder()
    const { compact_jwt } = await issue(holder)
    const proof = prove(holder, compact_jwt)
    const answers = await Promise.all(Array.from({ length: 20 }, () => verdict(compact_jwt, { proof })))
    assert.equal(answers.filter((answer) => answer === 'ok').length, 1)
    assert.equal(answers.filter((answer) => answer === 'proof_replayed').length, 19)
  })

  test('uses no room in the replay guard for refused requests', async (context) => {
    const { issue, prove, verdict } = await anIssuer(context, { guard: memoryGuard(0, 1) })
    const [holder, thief] = [aHolder(), aHolder()]
    const { compact_jwt } = await issue(holder)
    for (const proof of [prove(thief, compact_jwt), prove(holder, compact_jwt, { sign: thief.sign })])
      assert.match(await verdict(compact_jwt, { proof }), /^proof_refused/)
    assert.equal(await verdict(compact_jwt, { proof: prove(holder, compact_jwt) }), 'ok')
    assert.equal(await verdict(compact_jwt, { proof: prove(holder, compact_jwt) }), 'too_many_proofs')
  })

  test('must use a nonce after a restart, and succeeds with it', async (context) => {
    const { issue, prove, verdict, nonces } = await anIssuer(context, {}, 1_000)
    const holder = aHolder()
    const { compact_jwt } = await issue(holder)
    const proof = (claims: object = {}) => ({ proof: prove(holder, compact_jwt, { claims: { ...claims } }) })
    assert.equal(await verdict(compact_jwt, proof()), 'nonce_required: made_before_start')
    assert.equal(await verdict(compact_jwt, proof({ nonce: 'strange' })), 'nonce_required: unknown_nonce')
    assert.equal(await verdict(compact_jwt, proof({ nonce: nonces.next() })), 'ok')
  })

  test('must use a nonce in every proof when the service requires it', async (context) => {
    const { issue, prove, verdict, nonces } = await anIssuer(context, { require_nonce: true })
    const holder = aHolder()
    const { compact_jwt } = await issue(holder)
    assert.equal(
      await verdict(compact_jwt, { proof: prove(holder, compact_jwt) }),
      'nonce_required: missing_nonce',
    )
    const proof = prove(holder, compact_jwt, { claims: { nonce: nonces.next() } })
    assert.equal(await verdict(compact_jwt, { proof }), 'ok')
  })
})

describe('an agent with a token that is not bound to a key', () => {
  test('is accepted with a bearer token only if its tenant allows it', async (context) => {
    const tenants: string[] = []
    let is_allowed = false
    const { issue, show, verdict, prove } = await anIssuer(context, {
      async allow_bearer(tenant_id) {
        tenants.push(tenant_id)
        return is_allowed
      },
    })
    const { compact_jwt } = await issue()
    assert.equal(await verdict(compact_jwt, BEARER), 'bearer_refused')
    is_allowed = true
    assert.equal((await show(compact_jwt, BEARER)).is_key_bound, false)
    assert.equal(await verdict(compact_jwt, { proof: prove(aHolder(), compact_jwt) }), 'token_not_bound')
    is_allowed = false
    assert.equal(await verdict(compact_jwt, BEARER), 'bearer_refused')
    assert.deepEqual(tenants, ['default', 'default', 'default'])
  })
})

describe('a token as a credential', () => {
  test('must be the exact token that was issued', async (context) => {
    const { keys, issue, verdict } = await anIssuer(context, { allow_bearer: () => true })
    const { compact_jwt, claims } = await issue()
    const { kid, sign } = keys.active('tokens')
    const resigned = (changes: object, typ = 'vat+jwt') =>
      signCompact({ alg: 'EdDSA', typ, kid }, { ...claims, ...changes }, sign)
    const stranger = aHolder()
    const forged = await signCompact({ alg: 'EdDSA', typ: 'vat+jwt', kid }, claims, (input) =>
      stranger.sign(Buffer.from(input).toString('latin1')),
    )
    const [head, body] = compact_jwt.split('.')
    const cases: [string, string][] = [
      ['ok', compact_jwt],
      ['token_refused: malformed', `${head}.${body}`],
      ['token_refused: malformed', `${compact_jwt}=`],
      ['token_refused: bad_signature', forged],
      ['token_refused: bad_signature', `${head}.${body}.${'A'.repeat(86)}`],
      [
        'token_refused: unknown_key',
        await signCompact({ alg: 'EdDSA', typ: 'vat+jwt', kid: 'x' }, claims, sign),
      ],
      ['token_refused: wrong_type', await resigned({}, 'revocations+jwt')],
      ['token_refused: wrong_issuer', await resigned({ iss: 'https://elsewhere.example' })],
      ['token_refused: bad_claim', await resigned({ cnf: { 'x5t#S256': 'AA' } })],
      // Signed with our own key but never issued: another scope, another name, or an added claim.
      ['token_refused: not_issued', await resigned({ svc_scope: { resources: ['a:*'], actions: ['pay'] } })],
      ['token_refused: not_issued', await resigned({ jti: 'vat_root_none' })],
      ['token_refused: not_issued', await resigned({ svc_tenant: 'acme' })],
    ]
    for (const [expected, token] of cases) assert.equal(await verdict(token, BEARER), expected)
  })

  test('expires even if it was verified before', async (context) => {
    const { clock, issue, verdict } = await anIssuer(context, { allow_bearer: () => true })
    const { compact_jwt } = await issue(undefined, { expires_in: 10 })
    const early = await issue(undefined, {
      constraints: { not_before: new Date(clock() + 60_000).toISOString() },
    })
    assert.equal(await verdict(compact_jwt, BEARER), 'ok')
    assert.equal(await verdict(early.compact_jwt, BEARER), 'token_refused: not_yet_valid')
    clock.advance(9_999)
    assert.equal(await verdict(compact_jwt, BEARER), 'ok')
    clock.advance(1)
    assert.equal(await verdict(compact_jwt, BEARER), 'token_refused: expired')
  })

  test('still identifies its agent when it is revoked: decisions on actions report that', async (context) => {
    const { service, issue, show } = await anIssuer(context, { allow_bearer: () => true })
    const { jti, compact_jwt } = await issue()
    assert.equal((await service.post('/v1/vat/revoke', { vat_jti: jti })).status, 200)
    assert.equal((await show(compact_jwt, BEARER)).jti, jti)
  })

  test('is verified once and looked up in the store once', async (context) => {
    const { keys, context: agentTokens, asked, issue } = await anIssuer(context, { allow_bearer: () => true })
    const { jti, compact_jwt } = await issue()
    let verifications = 0
    let withdrawn: { withdrawn_from_s?: number } = {}
    const counting = openAgentTokens({
      ...agentTokens,
      keys: {
        ...keys,
        find(kid) {
          const key = keys.find(kid)
          if (key === undefined) return undefined
          const { kty, crv, x } = key.jwk
          // The curve is read only when a signature is verified.
          const jwk = {
            kty,
            x,
            get crv() {
              verifications += 1
              return crv
            },
          }
          return { ...key, jwk, ...withdrawn }
        },
      },
    })
    const show = () =>
      verdictOf(counting.caller({ ...BEARER, compact_jwt, proof: undefined, method: 'POST', target: TARGET }))
    assert.deepEqual([await show(), await show(), await show()], ['ok', 'ok', 'ok'])
    assert.equal(verifications, 1)
    assert.deepEqual(asked, [jti])
    // A verified token is trusted no longer than its key.
    withdrawn = { withdrawn_from_s: 0 }
    assert.equal(await show(), 'token_refused: withdrawn_key')
  })

  test('of another deployment is refused without a lookup', async (context) => {
    const [here, elsewhere] = [await anIssuer(context), await anIssuer(context)]
    const { compact_jwt } = await elsewhere.issue()
    assert.equal(await here.verdict(compact_jwt, BEARER), 'token_refused: unknown_key')
    assert.deepEqual(here.asked, [])
  })

  test('is accepted when another node created its signing key', async (context) => {
    const agentTokens = await anIssuer(context, { allow_bearer: () => true })
    const { compact_jwt } = await agentTokens.issue()
    const late = openAgentTokens({
      ...agentTokens.context,
      keys: { find: () => undefined, learn: async (kid) => agentTokens.keys.find(kid) },
    })
    const request = { ...BEARER, compact_jwt, proof: undefined, method: 'POST', target: TARGET }
    assert.equal((await late.caller(request)).role, 'agent')
  })
})
