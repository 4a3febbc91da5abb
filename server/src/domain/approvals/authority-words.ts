/** Writes the limits of a token as sentences for the person who grants it. */
import { type Constraints, PERIOD_KINDS, type RequireApproval } from '@deputize/protocol'

/** Returns sentences for all constraints. One without its own sentence is written as JSON, so none is left out. */
export function constraintSentences(constraints: Constraints): string[] {
  const { max_spend_usd_per: per_period, active_hours: hours, require_approval, ...others } = constraints
  return [
    ...Object.entries(others).map(([name, value]) => sentenceOf(name, value)),
    ...(per_period === undefined
      ? []
      : PERIOD_KINDS.flatMap((kind) =>
          per_period[kind] === undefined
            ? []
            : `Spends at most ${dollarsText(per_period[kind])} per ${kind} (${per_period.time_zone ?? 'UTC'}).`,
        )),
    ...(hours === undefined
      ? []
      : [
          `Acts only from ${hours.from} to ${hours.to}, ${hours.days?.join(', ') ?? 'every day'} (${hours.time_zone}).`,
        ]),
    ...(require_approval === undefined ? [] : [approvalSentence(require_approval)]),
  ]
}

/** Whether the constraints limit the sum of what the agent spends. */
export function hasBudget({ max_spend_usd, max_spend_usd_per }: Constraints): boolean {
  return max_spend_usd !== undefined || max_spend_usd_per !== undefined
}

export const NO_BUDGET = 'It has no budget: the agent can spend any amount.'

const SENTENCES: Readonly<Record<string, (value: string) => string>> = {
  max_spend_usd: (value) => `Spends at most ${dollarsText(value)} in total.`,
  max_spend_per_action_usd: (value) => `Spends at most ${dollarsText(value)} in one action.`,
  max_actions: (value) => `Takes at most ${value} actions.`,
  max_actions_per_minute: (value) => `Takes at most ${value} actions per minute.`,
  max_delegation_depth: (value) => `Delegates at most ${value} levels deep.`,
  max_overrun_pct: (value) => `May exceed an estimate by at most ${value} %.`,
  not_before: (value) => `Starts at ${value}.`,
  expires_at: (value) => `Ends at ${value} at the latest.`,
  min_reputation: (value) => `Stops if its reputation falls below ${value}.`,
  min_vouch_score: (value) => `Stops if its score from vouches falls below ${value}.`,
}

function sentenceOf(name: string, value: unknown): string {
  const write = Object.hasOwn(SENTENCES, name) ? SENTENCES[name] : undefined
  const isPlain = typeof value === 'number' || typeof value === 'string'
  return write !== undefined && isPlain ? write(String(value)) : `${name}: ${JSON.stringify(value)}.`
}

function approvalSentence({ actions, resources, above_usd, ...others }: RequireApproval): string {
  const when = [
    ...(actions === undefined ? [] : [`to ${actions.join(', ')}`]),
    ...(resources === undefined ? [] : [`on ${resources.join(', ')}`]),
    ...(above_usd === undefined ? [] : [`above ${dollarsText(above_usd)}`]),
  ]
  const more = Object.keys(others).length === 0 ? '' : ` (${JSON.stringify(others)})`
  return `Asks for approval ${when.length === 0 ? 'before every action' : `before it acts ${when.join(', or ')}`}${more}.`
}

/** Returns a lifetime in words, such as `8 hours` or `1 day and 2 hours`. */
export function durationText(seconds: number): string {
  const parts = [
    [Math.floor(seconds / 86_400), 'day'],
    [Math.floor((seconds % 86_400) / 3600), 'hour'],
    [Math.floor((seconds % 3600) / 60), 'minute'],
    [seconds % 60, 'second'],
  ] as const
  const said = parts.filter(([count]) => count > 0)
  return said.map(([count, unit]) => `${count} ${unit}${count === 1 ? '' : 's'}`).join(' and ')
}

/** Returns an amount with two decimals, or more if it has more. */
function dollarsText(usd: unknown): string {
  const [whole = '', part = ''] = String(usd).split('.')
  return `$${whole}.${part.padEnd(2, '0')}`
}
