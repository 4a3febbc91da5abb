import { DEFAULT_TENANT, type Evidence, type Level, type Role } from '@deputize/protocol'

interface CallerBase {
  readonly tenant_id: string
  /** Names the credential in idempotency keys, rate limits and the log of the process. Never a secret. */
  readonly name: string
}

/** Anybody on this machine, in open mode. */
export interface LocalCaller extends CallerBase {
  readonly role: 'local'
}

/** A program with an API key. */
export interface KeyCaller extends CallerBase {
  readonly role: Exclude<Role, 'human' | 'agent'>
  readonly key_id: string
  /** The audience that tokens must name to be shown to this resource server. */
  readonly audience: string | undefined
}

/** A person who has signed in. */
export interface HumanCaller extends CallerBase {
  readonly role: 'human'
  readonly human_ref: string
  /** Every ref that stands for this person, the own one first. */
  readonly human_refs: readonly string[]
  readonly assurance_level: Level
  /** How the person signed in (RFC 8176), and when. */
  readonly amr: readonly string[]
  readonly auth_time_ms: number
  /** Hash of the session's secret. */
  readonly session_key: string
  /** What a page of ours says with every change, so that no other page can make one. */
  readonly csrf_token: string
}

/** An agent that showed its own token, with proof of its key where the token is bound to one. */
export interface AgentCaller extends CallerBase {
  readonly role: 'agent'
  readonly jti: string
  readonly provenance_ref: string
  readonly is_key_bound: boolean
}

/** Nobody in particular, on the few addresses that ask nobody. */
export interface PublicCaller extends CallerBase {
  readonly role: 'public'
}

export type Caller = LocalCaller | KeyCaller | HumanCaller | AgentCaller | PublicCaller

export const LOCAL_CALLER: LocalCaller = { role: 'local', tenant_id: DEFAULT_TENANT, name: 'local' }
export const PUBLIC_CALLER: PublicCaller = { role: 'public', tenant_id: DEFAULT_TENANT, name: 'public' }

/**
 * What the word of a caller is worth as evidence of an action. Only a resource server is somebody other than the agent, and
 * sees its calls arrive; in open mode nobody is told apart.
 */
export function evidenceOf({ role }: Caller): Evidence {
  return role === 'resource_server' ? 'observed' : 'self_reported'
}
