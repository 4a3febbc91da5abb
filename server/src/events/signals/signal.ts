import { CAEP_EVENTS, type DeputyEvent, EVENT_TYPES, type EventType } from '@deputize/protocol'

/** A subject identifier (RFC 9493). */
export interface SubjectId {
  readonly format: string
  readonly [member: string]: unknown
}

/** An event in terms of the Continuous Access Evaluation Profile. */
export interface Signal {
  readonly type: (typeof CAEP_EVENTS)[keyof typeof CAEP_EVENTS]
  readonly sub_id: SubjectId
  readonly members: Readonly<Record<string, unknown>>
  /** The token, the agent and the person that it is about, by `subjectKey`. */
  readonly subjects: readonly string[]
}

/** What each event means to a relying party: the session is over, or the token works again. */
const SIGNALS: Readonly<Record<string, { readonly type: Signal['type']; readonly words: string }>> = {
  'token.revoked': { type: CAEP_EVENTS.session_revoked, words: 'The token was revoked.' },
  'token.suspended': { type: CAEP_EVENTS.session_revoked, words: 'The token was suspended.' },
  'agent.revoked': { type: CAEP_EVENTS.session_revoked, words: 'Every token of the agent was revoked.' },
  'agent.suspended': { type: CAEP_EVENTS.session_revoked, words: 'The agent was suspended.' },
  'human.revoked': { type: CAEP_EVENTS.session_revoked, words: 'Every token of the person was revoked.' },
  'token.resumed': { type: CAEP_EVENTS.token_claims_change, words: 'The token was resumed.' },
  'agent.resumed': { type: CAEP_EVENTS.token_claims_change, words: 'The agent was resumed.' },
}

/** The events that have a signal. */
export const SIGNALED_TYPES: ReadonlySet<EventType> = new Set(EVENT_TYPES.filter((type) => type in SIGNALS))

/** The signal of an event; undefined if the event revokes, suspends or resumes nothing. */
export function signalOf(event: DeputyEvent, issuer: string): Signal | undefined {
  const told = SIGNALS[event.type]
  if (told === undefined) return undefined
  const data: Readonly<Record<string, unknown>> = event.data
  const token = textIn(data.vat_jti)
  const agent = textIn(data.agent_id)
  const person = textIn(data.human_ref)
  const [kind] = event.type.split('.')
  const sub_id = subjectOf(kind, { token, agent, person }, issuer)
  if (sub_id === undefined) return undefined
  return {
    type: told.type,
    sub_id,
    members: {
      event_timestamp: Math.floor(Date.parse(event.occurred_at) / 1000),
      initiating_entity: initiatorOf(data),
      reason_admin: { en: told.words },
      ...(told.type === CAEP_EVENTS.token_claims_change && { claims: { svc_status: 'live' } }),
      ...(event.provenance_ref !== undefined && { svc_provenance_ref: event.provenance_ref }),
    },
    subjects: [token, agent, person].filter((name) => name !== undefined),
  }
}

/** The key under which a stream excludes a subject; undefined for a format that the service doesn't send. */
export function subjectKey(subject: SubjectId): string | undefined {
  if (subject.format === 'jwt_id') return textIn(subject.jti)
  return subject.format === 'opaque' ? textIn(subject.id) : undefined
}

interface Names {
  readonly token: string | undefined
  readonly agent: string | undefined
  readonly person: string | undefined
}

function subjectOf(
  kind: string | undefined,
  { token, agent, person }: Names,
  issuer: string,
): SubjectId | undefined {
  if (kind === 'token' && token !== undefined) return { format: 'jwt_id', iss: issuer, jti: token }
  const id = kind === 'agent' ? agent : kind === 'human' ? person : undefined
  return id === undefined ? undefined : { format: 'opaque', id }
}

/** Who did it, in terms of CAEP. */
function initiatorOf(data: Readonly<Record<string, unknown>>): 'admin' | 'user' | 'system' {
  if (data.suspend_code !== undefined) return 'system'
  return data.suspended_by === 'person' || data.resumed_by === 'person' ? 'user' : 'admin'
}

function textIn(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined
}
