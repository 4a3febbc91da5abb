/** Groups of events that a webhook can send, with short names. */
export const EVENT_GROUPS = [
  ['all', 'everything'],
  ['approvals', 'approval requests and decisions'],
  ['trouble', 'denials, alerts and budgets'],
  ['stops', 'revocations and suspensions'],
  ['some', 'some types'],
] as const
export type EventGroup = (typeof EVENT_GROUPS)[number][0]

const TYPES: Readonly<Record<Exclude<EventGroup, 'some'>, readonly string[]>> = {
  all: ['*'],
  approvals: ['approval.requested', 'approval.escalated', 'approval.decided'],
  trouble: ['action.denied', 'alert.fired', 'budget.threshold', 'budget.exhausted'],
  stops: [
    'token.revoked',
    'token.suspended',
    'token.resumed',
    'agent.revoked',
    'agent.suspended',
    'agent.resumed',
    'human.revoked',
  ],
}

export function eventsOf(group: EventGroup, types: readonly string[]): readonly string[] {
  return group === 'some' ? types : TYPES[group]
}

/** The group that has exactly these types. */
export function groupOf(types: readonly string[]): EventGroup {
  const wanted = [...types].sort().join()
  const found = Object.entries(TYPES).find(([, known]) => [...known].sort().join() === wanted)
  return EVENT_GROUPS.find(([group]) => group === found?.[0])?.[0] ?? 'some'
}
