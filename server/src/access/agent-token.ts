import { hash } from 'node:crypto'
import {
  type Admission,
  CredentialError,
  DEFAULT_TENANT,
  decodeCompact,
  type HolderJwk,
  type Proof,
  type ProofWindow,
  type ReplayGuard,
  TokenError,
  tokenRef,
  type VerificationKey,
  verifyProof,
  verifySignedToken,
} from '@deputize/protocol'
import type { Token } from '../domain/tokens/token.ts'
import type { KeyRing } from '../keys/key-ring.ts'
import type { AgentCaller } from './caller.ts'
import type { ProofNonces } from './proof-nonces.ts'

/** A token that an agent presents as its credential, and the request that carries it. */
export interface AgentRequest {
  readonly scheme: 'Bearer' | 'DPoP'
  readonly compact_jwt: string
  /** The header `DPoP`. */
  readonly proof: string | undefined
  /** True for a parameter of an OAuth request. Its proof names no token, and may add a key to an unbound one. */
  readonly is_parameter?: boolean
  readonly method: string
  /** Path and query, exactly as in the request line. */
  readonly target: string
}

export interface AgentTokens {
  /** Returns the agent that presents its token, or throws a `CredentialError`. Doesn't check for revocation. */
  caller(request: AgentRequest): Promise<AgentCaller>
  /**
   * Verifies a token that a resource server forwards. It comes without a proof, because the agent made its proof for the
   * resource server.
   */
  presented(compact_jwt: string): Promise<ForwardedToken>
}

/** A token that an agent presented to a resource server, which forwards it in the header Deputy-Token. */
export interface ForwardedToken {
  readonly jti: string
  readonly tenant_id: string
  readonly audience: string | undefined
}

export interface AgentTokensContext {
  readonly issuer: string
  /** `https://host[:port]`, without a trailing slash. */
  readonly public_url: () => string
  readonly keys: Pick<KeyRing, 'find' | 'learn'>
  readonly issued: (jti: string) => Promise<Token | undefined>
  /** Whether a tenant accepts tokens that are not bound to a key. */
  readonly allow_bearer: (tenant_id: string) => boolean | Promise<boolean>
  readonly guard: ReplayGuard
  readonly nonces: ProofNonces
  /** Requires a nonce in every proof, not only if nothing else shows that the proof is new. */
  readonly require_nonce?: boolean
  readonly window?: ProofWindow
  readonly clock: () => number
}

/** How many verified tokens are cached. The least recently used one is evicted first. */
export const REMEMBERED_TOKENS = 10_000

/** Clock skew between nodes: a token that one node issues is accepted by the others at once. */
const CLOCKS_APART_S = 5

/** The immutable facts of a verified token. */
interface Verified {
  readonly jti: string
  readonly tenant_id: string
  readonly audience: string | undefined
  readonly provenance_ref: string
  readonly agent_id: string
  readonly starts_at_s: number
  readonly ends_at_s: number
  readonly key: VerificationKey
  readonly jkt: string | undefined
  /** The agent's key, known once a proof was verified with it. */
  holder: HolderJwk | undefined
}

export function openAgentTokens(context: AgentTokensContext): AgentTokens {
  const { keys, guard, clock } = context
  const remembered = new Map<string, Verified>()

  /** Returns a cached token. If its signing key was withdrawn since, the token counts as unverified. */
  function recall(digest: string): Verified | undefined {
    const token = remembered.get(digest)
    if (token === undefined) return undefined
    remembered.delete(digest)
    if (!isSameKey(keys.find(token.key.kid), token.key)) return undefined
    remembered.set(digest, token)
    return token
  }

  function remember(digest: string, token: Verified): void {
    remembered.set(digest, token)
    for (const oldest of remembered.keys()) {
      if (remembered.size <= REMEMBERED_TOKENS) return
      remembered.delete(oldest)
    }
  }

  async function prove(request: AgentRequest, token: Verified, ath: string): Promise<Proof | undefined> {
    const { proof: text, method, target, is_parameter = false } = request
    if ((token.jkt === undefined && !is_parameter) || text === undefined) return undefined
    const { public_url, nonces, require_nonce = false, window } = context
    const proof = await verifyProof(text, {
      method,
      url: `${public_url()}${target}`,
      ath: is_parameter ? undefined : ath,
      jkt: token.jkt,
      holder: token.holder,
      now_ms: clock(),
      nonce: { isRequired: require_nonce, isFresh: nonces.isFresh },
      ...(window !== undefined && { window }),
    })
    if (token.jkt !== undefined) token.holder = proof.holder
    return proof
  }

  /** Verifies a token, or takes it from the cache: a genuine, issued token stays genuine and issued. */
  async function tokenIn(compact_jwt: string) {
    const hashed = hash('sha256', compact_jwt, 'buffer')
    const digest = hashed.toString('hex')
    const known = recall(digest)
    const token = known ?? (await verified(compact_jwt, context))
    checkTimes(token, clock())
    return { token, digest, ath: hashed.toString('base64url'), isKnown: known !== undefined }
  }

  return {
    async caller(request) {
      const { token, digest, ath, isKnown } = await tokenIn(request.compact_jwt)
      await checkBinding(token, request, context)
      const [proof] = await Promise.all([
        prove(request, token, ath),
        isKnown ? undefined : checkIssued(token, digest, context),
      ])
      // Last, so that only valid proofs take up room in the replay guard.
      if (proof !== undefined) checkAdmission(await guard.admit(proof, clock()))
      remember(digest, token)
      return callerOf(token, proof?.holder)
    },
    async presented(compact_jwt) {
      const { token, digest, isKnown } = await tokenIn(compact_jwt)
      if (token.jkt === undefined) await checkBearer(token, context)
      if (isKnown) return token
      await checkIssued(token, digest, context)
      remember(digest, token)
      return token
    },
  }
}

function isSameKey(now: VerificationKey | undefined, then: VerificationKey): boolean {
  return now?.jwk.x === then.jwk.x && now.withdrawn_from_s === then.withdrawn_from_s
}

async function verified(compact_jwt: string, { issuer, keys, clock }: AgentTokensContext): Promise<Verified> {
  try {
    // A key that this node does not know may have been created by another node, so look it up once.
    const { kid } = decodeCompact(compact_jwt).header
    const key = kid === undefined ? undefined : (keys.find(kid) ?? (await keys.learn(kid)))
    if (key === undefined) throw new CredentialError('token_refused', 'unknown_key')
    const claims = verifySignedToken(compact_jwt, {
      now_s: Math.floor(clock() / 1000),
      issuer,
      typ: 'vat+jwt',
      clock_skew_s: CLOCKS_APART_S,
      key: () => key,
    })
    return {
      jti: claims.jti,
      tenant_id: typeof claims.svc_tenant === 'string' ? claims.svc_tenant : DEFAULT_TENANT,
      audience: typeof claims.aud === 'string' ? claims.aud : undefined,
      provenance_ref: String(claims.svc_provenance_ref),
      agent_id: String(claims.sub).slice('agent:'.length),
      starts_at_s: Math.max(claims.iat, claims.nbf ?? 0),
      ends_at_s: claims.exp,
      key,
      jkt: jktOf(claims.cnf),
      holder: undefined,
    }
  } catch (error) {
    if (error instanceof TokenError) throw new CredentialError('token_refused', error.code)
    throw error
  }
}

/** Returns the token's key thumbprint. An unknown kind of confirmation never passes as unbound. */
function jktOf(cnf: unknown): string | undefined {
  if (cnf === undefined) return undefined
  if (typeof cnf === 'object' && cnf !== null && 'jkt' in cnf && typeof cnf.jkt === 'string') return cnf.jkt
  throw new CredentialError('token_refused', 'bad_claim')
}

function checkTimes({ starts_at_s, ends_at_s }: Verified, now_ms: number): void {
  if (ends_at_s * 1000 <= now_ms) throw new CredentialError('token_refused', 'expired')
  if ((starts_at_s - CLOCKS_APART_S) * 1000 > now_ms)
    throw new CredentialError('token_refused', 'not_yet_valid')
}

async function checkBinding(
  token: Verified,
  { scheme, proof, is_parameter = false }: AgentRequest,
  context: AgentTokensContext,
): Promise<void> {
  const { jkt } = token
  if (jkt !== undefined && (scheme === 'Bearer' || proof === undefined))
    throw new CredentialError('proof_required')
  if (jkt !== undefined) return
  if (scheme === 'DPoP' && !is_parameter) throw new CredentialError('token_not_bound')
  await checkBearer(token, context)
}

/** Throws if the tenant requires tokens that are bound to a key, wherever they are presented. */
async function checkBearer({ tenant_id }: Verified, { allow_bearer }: AgentTokensContext): Promise<void> {
  if (!(await allow_bearer(tenant_id))) throw new CredentialError('bearer_refused')
}

/** Throws unless the log holds the token. A stolen signing key can sign any token, but none that the log holds. */
async function checkIssued({ jti }: Verified, digest: string, { issued }: AgentTokensContext): Promise<void> {
  const found = await issued(jti)
  if (found?.jwt_hash !== `sha256:${digest}`) throw new CredentialError('token_refused', 'not_issued')
}

function checkAdmission(admission: Admission): void {
  if (admission === 'fresh') return
  if (admission === 'replayed') throw new CredentialError('proof_replayed')
  if (admission === 'full') throw new CredentialError('too_many_proofs')
  if (admission === 'unprovable') throw new CredentialError('nonce_required', 'made_before_start')
  throw new CredentialError('proof_refused', admission)
}

function callerOf(
  { jti, tenant_id, provenance_ref, agent_id, jkt }: Verified,
  proof_key: HolderJwk | undefined,
): AgentCaller {
  return {
    role: 'agent',
    tenant_id,
    name: `token:${tokenRef(jti)}`,
    jti,
    provenance_ref,
    agent_id,
    is_key_bound: jkt !== undefined,
    proof_key,
  }
}
