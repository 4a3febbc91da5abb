import type { Static, TObject } from 'typebox'
import { Closed } from '../api/shapes.ts'
import { EVENT_DATA, type EventType } from './event-data.ts'

/** What each type of event means, in one sentence. */
export const EVENT_SUMMARIES = {
  'token.issued': 'A root token was issued.',
  'token.delegated': 'A token was delegated from another one.',
  'token.renewed': 'A token was renewed.',
  'token.revoked': 'A token was revoked, with every token below it.',
  'token.suspended': 'A token was suspended, with every token below it.',
  'token.resumed': 'A suspended token was resumed.',
  'action.authorized': 'An action was authorized and is pending.',
  'action.denied': 'An action was denied.',
  'action.completed': 'An action was completed, or authorized, recorded and completed in one call.',
  'action.cancelled': 'A pending action was cancelled.',
  'action.expired': 'A pending action expired.',
  'action.rated': 'A person rated an action.',
  'approval.requested': 'A person is asked to approve an action.',
  'approval.endorsed': 'One of several approvers approved. Others must also approve.',
  'approval.escalated':
    'A request stayed undecided for `escalate_after_minutes`, so more people can decide it.',
  'approval.decided': 'An approval was decided.',
  'approval.grant_ended': 'A grant given in advance was ended.',
  'approval.habit_ended': 'A habit that approved requests was ended.',
  'budget.threshold': '50 % or 80 % of a budget is spent or reserved.',
  'budget.exhausted': 'All of a budget is spent or reserved.',
  'agent.registered': 'An agent was registered, or its profile or keys changed.',
  'agent.suspended': 'An agent was suspended, with all its tokens.',
  'agent.resumed': 'A suspended agent was resumed.',
  'agent.revoked': 'Every token of an agent was revoked.',
  'human.revoked': 'Every token of a person was revoked.',
  'human.refused': 'A person no longer accepts new tokens in their name.',
  'human.accepted': 'A person accepts new tokens in their name again.',
  'human.erased': 'The personal data of a person was erased.',
  'vouch.created': 'A person vouched for another person or an agent.',
  'vouch.changed': 'The weight or the end of a vouch changed.',
  'vouch.withdrawn': 'A vouch was withdrawn.',
  'anchor.named': 'An operator named a person as an anchor of trust.',
  'anchor.removed': 'A person is no longer a named anchor of trust.',
  'alert.fired': 'An alert rule fired.',
  'verification.completed': 'A person finished a verification. Read its result with the API.',
  'session.begun': 'A person signed in.',
  'session.ended': 'A person signed out, or their session was ended.',
  'key.rotated': 'New keys sign from now on.',
  'key.withdrawn': 'A signing key was withdrawn, because it may be stolen.',
  'access.changed': 'The access mode of the deployment changed.',
  'deployment.restored': 'The deployment was restored from a backup.',
  'webhook.disabled': 'A webhook was disabled. It gets no events until someone enables it.',
  'registry.changed': 'An entry that operators manage changed, such as an API key or a tenant.',
} as const satisfies Record<EventType, string>

/** Every type of event. */
export const EVENT_TYPES = Object.keys(EVENT_DATA) as readonly EventType[] // the keys of the table

/** The `data` of an event of a type. */
export type EventData<T extends EventType> = Static<TObject<(typeof EVENT_DATA)[T]>>

/** The name of the schema of a type: `TokenIssuedEvent`. */
export function eventSchemaName(type: EventType): string {
  const words = type.split(/[._]/).map((word) => `${word.charAt(0).toUpperCase()}${word.slice(1)}`)
  return `${words.join('')}Event`
}

/** The schema of the `data` of a type. */
export function eventDataSchema<T extends EventType>(type: T): TObject<(typeof EVENT_DATA)[T]> {
  return Closed(EVENT_DATA[type], { description: EVENT_SUMMARIES[type] })
}
