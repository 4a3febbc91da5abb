import { AuthorityError, CREDENTIAL_FAULTS, CredentialError, type OperationId } from '@deputize/protocol'
import type { ReadStore } from '../store/port.ts'
import type { AgentTokens } from './agent-token.ts'
import { readAuthorization } from './authorization.ts'
import { authorizeCaller, type ValidatedInput } from './authorize-caller.ts'
import { type Caller, PUBLIC_CALLER } from './caller.ts'
import { CredentialRefused } from './credential-refused.ts'
import type { RequestCredentials } from './credentials.ts'
import type { KeyHolders } from './key-holders.ts'
import type { ProofNonces } from './proof-nonces.ts'
import { csrfTokenOf, type Sessions } from './sessions.ts'
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
  /** Whether a token is in force, for quotas: up to a second old. */
  isInForce(jti: string): Promise<boolean>
}

export interface KeyedAccessOptions {
  readonly reader: ReadStore
  readonly tenants: Tenants
  readonly keyHolders: KeyHolders
  readonly agentTokens: AgentTokens
  readonly sessions: Sessions
  readonly nonces: ProofNonces
  readonly grants: StepUpGrants
  readonly clock: () => number
}

export function openKeyedAccess(options: KeyedAccessOptions): KeyedAccess {
  const { reader, tenants, keyHolders, agentTokens, sessions, nonces, grants, clock } = options
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
    if (presented === undefined) return session === undefined ? PUBLIC_CALLER : personOf(session)
    if (presented.kind === 'token') return agentTokens.caller({ ...presented, proof, method, target })
    const caller = await keyHolders.caller(presented.text)
    if (caller === undefined) throw new CredentialError('key_refused')
    return caller
  }

  async function personOf(secret: string): Promise<Caller> {
    const session = await sessions.read(secret)
    if (session === undefined) throw new CredentialError('session_ended')
    // A session that cannot be prolonged now, on a full disk for instance, is still valid.
    await sessions.touch(session).catch(() => {})
    const name = `session:${session.session_key}`
    return { ...session, role: 'human', name, csrf_token: csrfTokenOf(secret) }
  }

  function refuse(error: unknown): never {
    if (!(error instanceof CredentialError)) throw error
    if (CREDENTIAL_FAULTS[error.fault].status === 503)
      throw new AuthorityError('overloaded', `${error.message}.`)
    throw new CredentialRefused(error, nonces.next)
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
    isInForce: tokensInForce.has,
  }
}
