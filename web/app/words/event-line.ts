import type { DeputyEvent } from '../../../sdk/node/src/generated/operations.ts'
import { nameOfSubject } from './agent-names.ts'
import { addressOfId, agentPlace, agentWord, personWord } from './ids.ts'
import { usd } from './money.ts'
import { type OutcomeName, RATING_OUTCOMES, reasonWords, recordOutcome } from './outcome.ts'

/** An event as a line of the feed. */
export interface EventLine {
  readonly outcome: OutcomeName
  readonly agent_id: string | undefined
  readonly text: string
  /** Shown in small letters. */
  readonly note: string
  readonly href: string | undefined
}

type Facts = Readonly<Record<string, unknown>>

/** Describes an event to a person. */
export function feedLine(event: DeputyEvent): EventLine {
  const data: Facts = event.data
  const agent_id = typeof data.agent_id === 'string' ? data.agent_id : undefined
  return {
    outcome: outcomeOf(event),
    agent_id,
    text: textOfEvent(event, data),
    note: noteOf(event),
    href: hrefOf(data, event.provenance_ref, agent_id),
  }
}

const BY_TYPE: Readonly<Partial<Record<DeputyEvent['type'], OutcomeName>>> = {
  'action.authorized': 'pending',
  'action.denied': 'denied',
  'action.cancelled': 'cancelled',
  'action.expired': 'expired',
  'approval.requested': 'asks',
  'approval.escalated': 'asks',
  'approval.endorsed': 'approved',
  'token.issued': 'issued',
  'token.delegated': 'issued',
  'token.renewed': 'issued',
  'token.revoked': 'revoked',
  'agent.revoked': 'revoked',
  'human.revoked': 'revoked',
  'token.suspended': 'suspended',
  'agent.suspended': 'suspended',
  'token.resumed': 'resumed',
  'agent.resumed': 'resumed',
  'budget.threshold': 'budget',
  'budget.exhausted': 'budget',
  'alert.fired': 'alert',
  'vouch.created': 'trust',
  'vouch.changed': 'trust',
  'vouch.withdrawn': 'trust',
  'anchor.named': 'trust',
  'anchor.removed': 'trust',
  'verification.completed': 'identity',
  'session.begun': 'session',
  'session.ended': 'session',
}

function outcomeOf(event: DeputyEvent): OutcomeName {
  if (event.type === 'action.completed')
    return recordOutcome({ state: 'completed', result: event.data.result })
  if (event.type === 'action.rated') return RATING_OUTCOMES[event.data.rating]
  if (event.type === 'approval.decided') return event.data.decision === 'approved' ? 'approved' : 'denied'
  return BY_TYPE[event.type] ?? 'changed'
}

function textOfEvent(event: DeputyEvent, data: Facts): string {
  const { type } = event
  if (event.type === 'vouch.created')
    return `${personWord(event.data.from)} vouched for ${nameOfSubject(event.data.to)}`
  if (event.type === 'registry.changed')
    return `${registryWord(event.data.kind)} ${event.data.removed ? 'removed' : 'changed'}`
  if (typeof data.action === 'string') return `${data.action} ${String(data.resource)}`
  return TEXTS[type] ?? type.replace('.', ' ').replaceAll('_', ' ')
}

const REGISTRY_WORDS: ReadonlyMap<string, string> = new Map([
  ['api_key', 'API key'],
  ['key_session', 'Session of an API key'],
  ['key_passkey', 'Passkey of an API key'],
])

/** The word for a kind of thing that operators manage. */
function registryWord(kind: string): string {
  const words = kind.replaceAll('_', ' ')
  return REGISTRY_WORDS.get(kind) ?? `${words.charAt(0).toUpperCase()}${words.slice(1)}`
}

const TEXTS: Readonly<Partial<Record<DeputyEvent['type'], string>>> = {
  'token.issued': 'got a token',
  'token.delegated': 'got a delegated token',
  'token.renewed': 'renewed its token',
  'token.revoked': 'lost a token, with all below it',
  'token.suspended': 'has a suspended token',
  'token.resumed': 'may use its token again',
  'agent.registered': 'has a changed profile',
  'agent.suspended': 'is suspended',
  'agent.resumed': 'is active again',
  'agent.revoked': 'lost all its tokens',
  'budget.threshold': 'uses up its budget',
  'budget.exhausted': 'has used up its budget',
  'vouch.changed': 'A person changed a vouch',
  'vouch.withdrawn': 'A person withdrew a vouch',
  'anchor.named': 'A person was named as an anchor of trust',
  'anchor.removed': 'A person is no longer an anchor of trust',
  'human.refused': 'New tokens of a person are refused',
  'human.accepted': 'New tokens of a person are accepted again',
  'human.erased': 'A person was erased',
  'verification.completed': 'A person finished a verification',
  'session.begun': 'A person signed in',
  'session.ended': 'A person signed out',
  'key.withdrawn': 'A signing key was withdrawn',
  'webhook.disabled': 'A webhook was disabled after many failures',
  'human.revoked': 'All tokens of a person were revoked',
  'key.rotated': 'A new signing key is in use',
  'access.changed': 'The access mode changed',
}

function noteOf(event: DeputyEvent): string {
  switch (event.type) {
    case 'action.denied':
      return event.data.reasons.map(reasonWords).join(', ')
    case 'action.completed':
    case 'action.authorized':
    case 'approval.requested':
      return amount(event.data.spend_usd)
    case 'approval.decided':
      return DECIDERS.get(event.data.decided_by) ?? 'by a person'
    case 'budget.threshold':
      return `${event.data.percent} % used`
    case 'alert.fired':
      return event.data.explanation
    case 'agent.suspended':
    case 'token.suspended':
      return `by the ${event.data.suspended_by}`
    case 'token.delegated':
      return event.data.scope.actions.join(', ')
    default:
      return ''
  }
}

/** Distinguishes the decision on a request from an action that its token denied. */
const DECIDERS: ReadonlyMap<string, string> = new Map([
  ['habit', 'by habit'],
  ['grant', 'by a grant'],
  ['review_desk', 'by the review desk'],
])

function amount(spend_usd: number | undefined): string {
  return spend_usd === undefined || spend_usd === 0 ? '' : usd(spend_usd)
}

const ID_MEMBERS = ['aar_id', 'denial_id', 'approval_id', 'vat_jti'] as const

function hrefOf(data: Facts, provenance_ref: string | undefined, agent_id: string | undefined) {
  const id = ID_MEMBERS.map((name) => data[name]).find((value) => typeof value === 'string')
  if (typeof id === 'string') return addressOfId(id)
  if (agent_id !== undefined) return agentPlace(agentWord(agent_id))
  return provenance_ref === undefined ? undefined : addressOfId(provenance_ref)
}
