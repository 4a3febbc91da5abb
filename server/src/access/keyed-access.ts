import { AuthorityError, CREDENTIAL_FAULTS, CredentialError } from '@deputize/protocol'
import type { ReadStore } from '../store/port.ts'
import type { AgentTokens } from './agent-token.ts'
import { readAuthorization } from './authorization.ts'
import { type PresentedToken, permit } from './authorize-caller.ts'
import { type Caller, PUBLIC_CALLER } from './caller.ts'
import { CredentialRefused } from './credential-refused.ts'
import type { Credentials, Gate } from './credentials.ts'
import type { KeyHolders } from './key-holders.ts'
import type { ProofNonces } from './proof-nonces.ts'
import { csrfTokenOf, type Sessions } from './sessions.ts'
import { confirming, type StepUpGrants } from './step-up.ts'
import type { Tenants } from './tenants.ts'

export interface KeyedGateOptions {
  readonly reader: ReadStore
  readonly tenants: Tenants
  readonly holders: KeyHolders
  readonly agents: AgentTokens
  readonly sessions: Sessions
  readonly nonces: ProofNonces
  readonly grants: StepUpGrants
  readonly clock: () => number
}

/** The guard of keyed mode, over the three kinds of credential that there are. */
export function keyedGate(options: KeyedGateOptions): Gate {
  const { reader, tenants, holders, agents, sessions, nonces, grants, clock } = options
  const isReviewer = async (tenant_id: string, human_ref: string) =>
    (await tenants.find(tenant_id))?.reviewers.includes(human_ref) ?? false
  const allowed = permit({ reader, isReviewer, clock })

  async function callerOf({ method, target, authorization, proof, session }: Credentials): Promise<Caller> {
    const presented = readAuthorization(authorization)
    if (presented === undefined) return session === undefined ? PUBLIC_CALLER : personOf(session)
    if (presented.kind === 'token') return agents.caller({ ...presented, proof, method, target })
    const caller = await holders.caller(presented.text)
    if (caller === undefined) throw new CredentialError('key_refused')
    return caller
  }

  async function personOf(secret: string): Promise<Caller> {
    const session = await sessions.read(secret)
    if (session === undefined) throw new CredentialError('session_ended')
    await sessions.touch(session)
    const name = `session:${session.session_key}`
    return { ...session, role: 'human', name, csrf_token: csrfTokenOf(secret) }
  }

  /** The token that an agent has shown to the caller. No proof comes with it: the agent's proof was for that service. */
  async function presentedToken(compact_jwt: string | undefined): Promise<PresentedToken | undefined> {
    if (compact_jwt === undefined) return undefined
    return agents.shown(compact_jwt)
  }

  function refuse(error: unknown): never {
    if (!(error instanceof CredentialError)) throw error
    if (CREDENTIAL_FAULTS[error.fault].status === 503)
      throw new AuthorityError('overloaded', `${error.message}.`)
    throw new CredentialRefused(error, nonces.next)
  }

  return {
    identify: (credentials) => callerOf(credentials).catch(refuse),
    async permit(caller, id, input, presented_token) {
      const presented = await presentedToken(presented_token).catch(refuse)
      await allowed(caller, id, input, presented)
    },
    confirm: confirming({ tenants, registry: reader.registry, grants }),
    tenantLimit: async (tenant_id) => (await tenants.find(tenant_id))?.rate_limit ?? 0,
  }
}
