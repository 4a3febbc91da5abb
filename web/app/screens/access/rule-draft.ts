/** The text typed for an alert rule, and the rule that it describes. */
import type { AlertCondition, StoredAlertCondition } from '../../../../sdk/node/src/generated/operations.ts'

export type ConditionKind = AlertCondition['kind']

export const CONDITION_KINDS: readonly (readonly [ConditionKind, string])[] = [
  ['denials', 'an agent is denied often'],
  ['budget', 'a budget is used up'],
  ['rejected', 'a person rates an action bad'],
  ['chain', 'a token is delegated deeply'],
  ['new_use', 'an agent does something for the first time'],
  ['unusual_hours', 'an agent acts at unusual hours'],
  ['spend_rate', 'an agent spends faster than usual'],
]

/** Every member of every kind, as text. */
export interface ConditionDraft {
  readonly kind: ConditionKind
  readonly more_than: string
  readonly within_minutes: string
  readonly percent: '50' | '80' | '100'
  readonly deeper_than: string
  readonly of: 'action' | 'resource'
  readonly times: string
  readonly at_least_usd: string
}

const BLANK: ConditionDraft = {
  kind: 'denials',
  more_than: '10',
  within_minutes: '5',
  percent: '80',
  deeper_than: '3',
  of: 'action',
  times: '3',
  at_least_usd: '10',
}

/** The members that each kind has. */
export const MEMBERS = {
  denials: ['more_than', 'within_minutes'],
  budget: ['percent'],
  rejected: [],
  chain: ['deeper_than'],
  new_use: ['of'],
  unusual_hours: [],
  spend_rate: ['times', 'at_least_usd'],
} as const satisfies Record<ConditionKind, readonly (keyof ConditionDraft)[]>

/** The draft of an existing condition, or of a new one. */
export function conditionDraft(stored: StoredAlertCondition | undefined): ConditionDraft {
  if (stored === undefined) return BLANK
  const texts = Object.entries(stored).map(([name, value]) => [name, String(value)])
  // Each stored member is one that the draft has.
  return { ...BLANK, ...(Object.fromEntries(texts) as Partial<ConditionDraft>) }
}

/** Has exactly the members of its kind. What isn't a number is sent as typed, and the service names the field. */
export function conditionOf(draft: ConditionDraft): AlertCondition {
  const members = MEMBERS[draft.kind].map((name) => [name, name === 'of' ? draft.of : numberIn(draft[name])])
  return { kind: draft.kind, ...Object.fromEntries(members) }
}

function numberIn(text: string): number | string {
  const value = Number(text)
  return text.trim() === '' || Number.isNaN(value) ? text : value
}
