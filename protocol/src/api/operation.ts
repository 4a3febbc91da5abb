import type { Static, TSchema } from 'typebox'
import type { Access } from './access.ts'
import type { ErrorCode } from './errors.ts'

/** Groups of operations in the documentation. */
export const TAGS = {
  Tokens: 'Issue and inspect tokens.',
  Delegation: 'Pass authority to another agent, always narrower.',
  Revocation: 'Revoke and suspend tokens.',
  Verification: 'Verify, introspect and exchange tokens, also offline.',
  Actions: 'Authorize and record the actions of agents.',
  Feedback: 'Rate actions.',
  Approvals: 'Let a person decide before an agent acts.',
  Agents: 'Register and suspend agents.',
  Reputation: 'How well agents have done.',
  Trust: 'Vouch for people and agents, and see how far the trust of verified people reaches.',
  Stats: 'Counts over time: actions, denials, spend and approvals.',
  Webhooks: 'Send events to your own services.',
  Alerts: 'Rules that watch agents: they notify, ask or suspend.',
  Provenance: 'Workflows: every action below one root token.',
  Log: 'The transparency log, with proofs.',
  Events: 'Follow what happens.',
  Humans: 'The people behind tokens.',
  People: 'Passkeys and sessions of signed-in people.',
  Notifications: 'How approval requests and alerts reach people.',
  Biometrics: 'Verify people by face, voice and gestures (L3).',
  'Sign-in': 'Sign in with an OpenID Connect provider.',
  Signals: 'Notify gateways and identity systems of revocations (Shared Signals, CAEP).',
  Policies: 'Compliance policies and their rules.',
  Access: 'Tenants and API keys.',
  Keys: 'Keys that sign tokens.',
  Discovery: 'Public keys and metadata.',
  Service: 'Health of the service.',
} as const satisfies Record<string, string>

/**
 * How an operation is treated under pressure. `stop` takes back authority or a credential: no quota of the tenant or the
 * address applies to it, it goes ahead of everything that waits, and it works while the disk is full or the clock is wrong.
 */
export type Lane = 'stop'

type Method = 'GET' | 'POST' | 'DELETE' | 'PATCH' | 'PUT'

/** One endpoint as a row of data. Routes, validation, handler types and the OpenAPI document come from it. */
export interface Operation {
  method: Method
  path: string
  tag: keyof typeof TAGS
  summary: string
  description?: string
  params?: TSchema
  /** The parameter that takes the rest of the path, slashes included. */
  rest?: string
  query?: TSchema
  body?: TSchema
  /** Rules between members of the body that the handler checks, in JSON Schema, for the OpenAPI document. */
  body_rules?: Readonly<Record<string, unknown>>
  /** The largest body. 1 MiB when absent. */
  max_body_bytes?: number
  /** 200 when absent. */
  status?: 200 | 201
  response: TSchema
  /** The body is application/x-www-form-urlencoded instead of JSON, as OAuth requires. */
  form?: true
  /** Errors have the form of RFC 6749 section 5.2. */
  oauth_errors?: true
  /** The Cache-Control header of the answer. */
  cache_control?: string
  /** application/json when absent; otherwise the answer is text of this type. */
  media_type?: string
  /** The answer is a `Download` of one of these types; `response` describes its text. */
  streams?: readonly string[]
  /** With `Accept: text/event-stream` the answer is a stream of server-sent events. */
  event_stream?: true
  /** Ordinary when absent. */
  lane?: Lane
  /** Pages from origins that the operator names may call it. Credentials in such calls are ignored. */
  cross_origin?: true
  /** Who may call it in keyed mode. */
  access: Access
  /** Errors of this operation. Errors that any request can meet are added to all. */
  errors: readonly ErrorCode[]
}

export function operation<const T extends Operation>(row: T): T {
  return row
}

/** Whether a POST may omit its body, because all its members are optional. */
export function mayOmitBody({ method, body, body_rules }: Operation): boolean {
  if (method !== 'POST' || body === undefined || body_rules !== undefined) return false
  return !('required' in body && Array.isArray(body.required) && body.required.length > 0)
}

type Part<T, K extends string> = T extends Record<K, infer S extends TSchema> ? Static<S> : undefined

/** The input of a handler of operation `T`. */
export interface CallOf<T extends Operation> {
  params: Part<T, 'params'>
  query: Part<T, 'query'>
  body: Part<T, 'body'>
}

/** An answer of any length, produced while it is sent. Only one chunk at a time is held in memory. */
export interface DownloadAnswer {
  readonly media_type: string
  readonly file_name: string
  /** The reader may stop at any time. A failure halfway must throw, so that a part is never mistaken for the whole. */
  readonly chunks: AsyncIterable<string | Uint8Array>
}

export type AnswerOf<T extends Operation> = T extends { streams: readonly string[] }
  ? DownloadAnswer
  : Static<T['response']>
