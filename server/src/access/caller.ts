import {
  DEFAULT_TENANT,
  type Evidence,
  type HolderJwk,
  type Level,
  type Rank,
  type Role,
} from '@deputize/protocol'

interface CallerBase {
  readonly tenant_id: string
  /** Identifies the credential in idempotency keys, rate limits and log lines. Never a secret. */
  readonly name: string
}

/** Any program on this machine, in open mode. */
export interface LocalCaller extends CallerBase {
  readonly role: 'local'
}

/** A program with an API key. */
export interface KeyCaller extends CallerBase {
  readonly role: Exclude<Role, 'human' | 'agent'>
  readonly key_id: string
  /** The first key in this key's rotation, or the key itself. What it owns, its successors own too. */
  readonly owner_id?: string
  /** The audience that a token must name before this resource server may use it. */
  readonly audience: string | undefined
  /** The session in which the key is used, in a browser. Undefined for a program that sends the key itself. */
  readonly session?: BrowserSession | undefined
}

/** The session of a caller who holds an API key. */
export interface BrowserSession {
  /** Hash of the session's secret. */
  readonly session_key: string
  /** Sent by this service's pages with every change, so that pages of other sites can't make one. */
  readonly csrf_token: string
  readonly started_at_ms: number
  readonly expires_at_ms: number
}

/** A person who has signed in. */
export interface HumanCaller extends CallerBase {
  readonly role: 'human'
  readonly human_ref: string
  /** Every ref of this person, the primary one first. */
  readonly human_refs: readonly string[]
  readonly assurance_level: Level
  /** How the person signed in (RFC 8176), and when. */
  readonly amr: readonly string[]
  readonly auth_time_ms: number
  /** Hash of the session's secret. */
  readonly session_key: string
  /** Sent by this service's pages with every change, so that pages of other sites can't make one. */
  readonly csrf_token: string
}

/** An agent that presented its own token, with a proof of possession if the token is bound to a key. */
export interface AgentCaller extends CallerBase {
  readonly role: 'agent'
  readonly jti: string
  readonly provenance_ref: string
  /** Its name in its tenant. */
  readonly agent_id: string
  readonly is_key_bound: boolean
  /** The key of the proof that came with this request. */
  readonly proof_key?: HolderJwk | undefined
}

/** A caller without a credential, on the few public routes. */
export interface PublicCaller extends CallerBase {
  readonly role: 'public'
}

export type Caller = LocalCaller | KeyCaller | HumanCaller | AgentCaller | PublicCaller

export const LOCAL_CALLER: LocalCaller = { role: 'local', tenant_id: DEFAULT_TENANT, name: 'local' }
export const PUBLIC_CALLER: PublicCaller = { role: 'public', tenant_id: DEFAULT_TENANT, name: 'public' }

const RANK_OF_ROLE: Readonly<Record<Caller['role'], Rank>> = {
  local: 'operator',
  operator: 'operator',
  human: 'person',
  developer: 'developer',
  agent: 'agent',
  // The access table lets these roles suspend nothing.
  resource_server: 'agent',
  auditor: 'agent',
  safety: 'agent',
  public: 'agent',
}

/** Returns the token that every change by this caller must carry, or undefined if no other site can act for it. */
export function csrfTokenFor(caller: Caller): string | undefined {
  if (caller.role === 'human') return caller.csrf_token
  return 'session' in caller ? caller.session?.csrf_token : undefined
}

/** Returns the key of the session that a call was made in. */
export function sessionKeyFor(caller: Caller): string | undefined {
  if (caller.role === 'human') return caller.session_key
  return 'session' in caller ? caller.session?.session_key : undefined
}

/** Returns the rank with which a caller suspends and resumes. In open mode every caller is an operator. */
export function rankOf({ role }: Caller): Rank {
  return RANK_OF_ROLE[role]
}

/** Returns the names under which a caller may own agents, primary first. Undefined in open mode: any name is free. */
export function actorsOf(caller: Caller): readonly string[] | undefined {
  switch (caller.role) {
    case 'local':
      return undefined
    case 'human':
      return caller.human_refs.map((human_ref) => `human:${human_ref}`)
    case 'agent':
      return [`agent:${caller.agent_id}`]
    case 'public':
      return []
    default:
      return [`key:${caller.owner_id ?? caller.key_id}`]
  }
}

/**
 * Returns who makes a change, for the log: the key itself, not the first one of its rotation. Undefined for a caller
 * without a credential.
 */
export function actorOf(caller: Caller): string | undefined {
  return 'key_id' in caller ? `key:${caller.key_id}` : actorsOf(caller)?.[0]
}

/**
 * Returns how strong a caller's report of an action is as evidence. Only a resource server is independent of the agent
 * and sees its calls arrive. In open mode, callers can't be told apart.
 */
export function evidenceOf({ role }: Caller): Evidence {
  return role === 'resource_server' ? 'observed' : 'self_reported'
}
