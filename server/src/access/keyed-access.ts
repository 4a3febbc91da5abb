import { AuthorityError, CREDENTIAL_FAULTS, CredentialError, type OperationId } from '@deputize/protocol'
import { livenessReasons } from '../domain/decision.ts'
import type { ReadStore } from '../store/port.ts'
import type { AgentTokens } from './agent-token.ts'
import { readAuthorization } from './authorization.ts'
import { assertLiveToken, authorizeCaller, type ValidatedInput } from './authorize-caller.ts'
import { type Caller, PUBLIC_CALLER } from './caller.ts'
import { CredentialRefused } from './credential-refused.ts'
import type { RequestCredentials } from './credentials.ts'
import { type KeyHolders, keyCaller } from './key-holders.ts'
import type { KeySessions } from './key-sessions.ts'
import type { KeyUses } from './key-uses.ts'
import type { ProofNonces } from './proof-nonces.ts'
import { csrfTokenOf } from './session-entries.ts'
import type { Sessions } from './sessions.ts'
import { confirming, type StepUpGrants } from './step-up.ts'
import type { Tenants } from './tenants.ts'
import { openTokensInForce } from './tokens-in-force.ts'

/** Access control of keyed mode, where every call carries a credential. */
export interface KeyedAccess {
  /** Verifies the credential and returns its caller; without a credential, the public caller. Refuses an invalid one. */
  identify(credentials: RequestCredentials): Promise<Caller>
  /** Refuses a call that this caller may not make. */
  authorize(
    caller: Caller,
    operation_id: OperationId,
    input: ValidatedInput,
    presented_token: string | undefined,
  ): Promise<void>
  /**
   * Uses up the step-up grant of a person and returns true. Without a grant returns false, or refuses the call when the
   * tenant requires confirmation.
   */
  confirm(
    caller: Caller,
    operation_id: OperationId,
    input: ValidatedInput,
    grant: string | undefined,
  ): Promise<boolean>
  /** Requests per minute that a tenant may make; 0 means no limit. */
  tenantLimit(tenant_id: string): Promise<number>
  /** Whether the credential of a caller identified earlier is still valid, for long calls. Doesn't extend a session. */
  isStillValid(caller: Caller, credentials: RequestCredentials): Promise<boolean>
  /** Refuses a caller identified earlier whose credential has ended since. */
  assertStillValid(caller: Caller, credentials: RequestCredentials): Promise<void>
  /** Whether a token is in force, for quotas. May be up to a second out of date. */
  isInForce(jti: string): Promise<boolean>
}

export interface KeyedAccessOptions {
  readonly reader: ReadStore
  readonly tenants: Tenants
  readonly keyHolders: KeyHolders
  readonly keyUses: KeyUses
  readonly agentTokens: AgentTokens
  readonly sessions: Sessions
  readonly keySessions: KeySessions
  readonly nonces: ProofNonces
  readonly grants: StepUpGrants
  readonly clock: () => number
}

export function openKeyedAccess(options: KeyedAccessOptions): KeyedAccess {
  const { reader, tenants, keyHolders, keyUses, agentTokens, sessions, keySessions, nonces, grants, clock } =
    options
  const tokensInForce = openTokensInForce(reader, clock)
  const isReviewer = async (tenant_id: string, human_ref: string) =>
    (await tenants.find(tenant_id))?.reviewers.includes(human_ref) ?? false

  async function callerOf({
    method,
    target,
    authorization,
    proof,
    session,
    token_parameter,
  }: RequestCredentials): Promise<Caller> {
    if (token_parameter !== undefined) {
      const scheme = proof === undefined ? 'Bearer' : 'DPoP'
      const request = {
        scheme,
        compact_jwt: token_parameter,
        proof,
        method,
        target,
        is_parameter: true,
      } as const
      return agentTokens.caller(request)
    }
    const presented = readAuthorization(authorization)
    if (presented === undefined) return session === undefined ? PUBLIC_CALLER : sessionCaller(session)
    if (presented.kind === 'token') return agentTokens.caller({ ...presented, proof, method, target })
    const caller = await keyHolders.caller(presented.text)
    if (caller === undefined) throw new CredentialError('key_refused')
    keyUses.note(caller.key_id)
    return caller
  }

  async function sessionCaller(secret: string): Promise<Caller> {
    const caller = (await personOf(secret)) ?? (await keyHolderOf(secret))
    if (caller === undefined) throw new CredentialError('session_ended')
    return caller
  }

  async function personOf(secret: string): Promise<Caller | undefined> {
    const session = await sessions.read(secret)
    if (session === undefined) return undefined
    // A session that can't be extended now, for instance on a full disk, is still valid.
    await sessions.touch(session).catch(() => {})
    const name = `session:${session.session_key}`
    return { ...session, role: 'human', name, csrf_token: csrfTokenOf(secret) }
  }

  /** Returns the same caller as the key, so that a session can do neither more nor less. */
  async function keyHolderOf(secret: string): Promise<Caller | undefined> {
    const found = await keySessions.read(secret)
    if (found === undefined) return undefined
    await keySessions.touch(found.session).catch(() => {})
    keyUses.note(found.caller.key_id)
    const { session_key, started_at_ms, expires_at_ms } = found.session
    const session = { session_key, started_at_ms, expires_at_ms, csrf_token: csrfTokenOf(secret) }
    return { ...found.caller, session }
  }

  function refuse(error: unknown): never {
    if (!(error instanceof CredentialError)) throw error
    if (CREDENTIAL_FAULTS[error.fault].status === 503)
      throw new AuthorityError('overloaded', `${error.message}.`)
    throw new CredentialRefused(error, nonces.next)
  }

  async function isStillValid(caller: Caller, { session }: RequestCredentials): Promise<boolean> {
    if (caller.role === 'human') return session !== undefined && (await sessions.read(session)) !== undefined
    if (caller.role === 'agent') {
      const chain = await reader.standing.chain(caller.jti)
      return chain !== undefined && livenessReasons(chain, clock()).length === 0
    }
    if (!('key_id' in caller)) return true
    if (caller.session !== undefined)
      return session !== undefined && (await keySessions.read(session)) !== undefined
    // The entry itself, because cached keys may be slightly out of date.
    const entry = await reader.registry.entry('api_key', caller.key_id)
    return keyCaller(caller.key_id, entry, clock()) !== undefined
  }

  return {
    identify: (credentials) => callerOf(credentials).catch(refuse),
    async authorize(caller, operation_id, input, presented_token) {
      const presented =
        presented_token === undefined ? undefined : await agentTokens.presented(presented_token).catch(refuse)
      await authorizeCaller(caller, operation_id, input, presented, { reader, isReviewer, clock })
    },
    confirm: confirming({ tenants, registry: reader.registry, grants }),
    tenantLimit: async (tenant_id) => (await tenants.find(tenant_id))?.rate_limit ?? 0,
    isStillValid,
    async assertStillValid(caller, credentials) {
      if (await isStillValid(caller, credentials)) return
      if (caller.role === 'agent') return assertLiveToken(caller, { reader, clock })
      refuse(new CredentialError('key_id' in caller && !caller.session ? 'key_refused' : 'session_ended'))
    },
    isInForce: tokensInForce.has,
  }
}
