import type { Alert, AlertRule, StoredAlertCondition } from '../../../sdk/node/src/generated/operations.ts'
import { counted, usd } from './money.ts'
import { momentTime } from './time.ts'

/** When a rule fires, in words. */
export function conditionWords(condition: StoredAlertCondition, locale?: string): string {
  switch (condition.kind) {
    case 'denials':
      return `more than ${counted(condition.more_than ?? 0, 'denial', 'denials', locale)} within ${counted(condition.within_minutes ?? 0, 'minute', 'minutes', locale)}`
    case 'budget':
      return `${condition.percent ?? '100'} % of a budget is used`
    case 'rejected':
      return 'a person rated an action bad'
    case 'chain':
      return `a token deeper than ${counted(condition.deeper_than ?? 0, 'delegation', 'delegations', locale)}`
    case 'new_use':
      return `the first use of ${condition.of === 'resource' ? 'a resource' : 'an action'}`
    case 'unusual_hours':
      return 'it acts at an unusual hour'
    case 'spend_rate':
      return `it spends ${condition.times ?? 1} times its highest hour, and at least ${usd(condition.at_least_usd ?? 0, locale)}`
  }
}

export const EFFECT_WORDS = {
  notify: 'notify only',
  ask: 'require approval for each action',
  suspend: 'suspend the agent',
} as const

/** What a rule does when it fires. */
export function effectWords(
  { effect, ask_minutes }: Pick<AlertRule, 'effect' | 'ask_minutes'>,
  locale?: string,
): string {
  const words = EFFECT_WORDS[effect]
  return effect === 'ask' ? `${words}, for ${counted(ask_minutes, 'minute', 'minutes', locale)}` : words
}

/** From when to when the agent must ask because of an alert. Undefined if it need not. */
export function askingWords(
  { fired_at, asks_until }: Pick<Alert, 'fired_at' | 'asks_until'>,
  now: number,
  locale?: string,
): string | undefined {
  if (asks_until === undefined) return undefined
  const [from, to] = [fired_at, asks_until].map((time) => momentTime(time, now, locale))
  return Date.parse(asks_until) > now
    ? `Each action needs an approval since ${from}, until ${to}.`
    : `Each action needed an approval from ${from} to ${to}.`
}

/** What a rule would have done in the week that a dry run covers. */
export function firingWords(count: number, locale?: string): string {
  if (count === 0) return 'It would not have fired in the last 7 days.'
  return `It would have fired ${count === 1 ? 'once' : counted(count, 'time', 'times', locale)} in the last 7 days.`
}
