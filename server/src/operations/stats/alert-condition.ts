import { type AlertConditionKind, invalidField } from '@deputize/protocol'
import type { AlertCondition } from '../../domain/alert.ts'

interface GivenCondition {
  readonly kind: AlertConditionKind
  readonly more_than?: number
  readonly within_minutes?: number
  readonly percent?: number
  readonly deeper_than?: number
  readonly of?: 'action' | 'resource'
  readonly times?: number
  readonly at_least_usd?: number
}

/** The members that each kind needs in addition to `kind`. */
const MEMBERS = {
  denials: ['more_than', 'within_minutes'],
  budget: ['percent'],
  rejected: [],
  chain: ['deeper_than'],
  new_use: ['of'],
  unusual_hours: [],
  spend_rate: ['times', 'at_least_usd'],
} as const satisfies Record<AlertConditionKind, readonly Exclude<keyof GivenCondition, 'kind'>[]>

/** Checks that a condition has exactly the members of its kind. */
export function readCondition(given: GivenCondition): AlertCondition {
  const needed: readonly string[] = MEMBERS[given.kind]
  for (const name of needed)
    if (!(name in given)) throw invalidField(`/condition/${name}`, `is required for ${given.kind}`)
  for (const name of Object.keys(given))
    if (name !== 'kind' && !needed.includes(name))
      throw invalidField(`/condition/${name}`, `is not a member of ${given.kind}`)
  return given as AlertCondition // it has the members of its kind, and the schema has checked their values
}
