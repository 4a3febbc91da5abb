import { type AlertEffect, toUsd } from '@deputize/protocol'
import type { Signals } from './stats.ts'
import { DAY_MS, HOUR_MS, isoInstant, MINUTE_MS } from './times/time.ts'

/** When a rule fires. Each condition is about a single agent. */
export type AlertCondition =
  | { readonly kind: 'denials'; readonly more_than: number; readonly within_minutes: number }
  | { readonly kind: 'budget'; readonly percent: number }
  | { readonly kind: 'rejected' }
  | { readonly kind: 'chain'; readonly deeper_than: number }
  | { readonly kind: 'new_use'; readonly of: 'action' | 'resource' }
  | { readonly kind: 'unusual_hours' }
  | { readonly kind: 'spend_rate'; readonly times: number; readonly at_least_usd: number }

/** A stored rule. Agents are named as in their tokens. */
export interface AlertRule {
  readonly name: string
  readonly condition: AlertCondition
  readonly effect: AlertEffect
  /** Undefined means every agent of the tenant. */
  readonly agent_id: string | undefined
  /** The rule fires at most once per agent in each window of this length. */
  readonly window_minutes: number
  /** If the effect is `ask`, how long every action of the agent needs approval. */
  readonly ask_minutes: number
  readonly enabled: boolean
  readonly created_at_ms: number
  /** The suggestion that the rule was made from. */
  readonly suggestion: string | undefined
}

/** A stored firing, with the rule as it was at the time. */
export interface StoredAlert {
  readonly rule_id: string
  readonly agent_id: string
  /** When the condition held: a full minute or hour. */
  readonly at_ms: number
  readonly fired_at_ms: number
  readonly rule: AlertRule
  readonly explanation: string
  readonly asks_until_ms: number | undefined
}

export interface MinuteSignals extends Signals {
  readonly minute: number
}

export interface HourUse {
  readonly hour: number
  readonly allowed: number
  readonly spend_micro_usd: number
}

/** The first time that an agent did something, or acted on something. */
export interface FirstUse {
  readonly hour: number
  readonly of: 'action' | 'resource'
  readonly name: string
}

/** An agent's counters, in chronological order. */
export interface AgentHistory {
  readonly minutes: readonly MinuteSignals[]
  /** Only hours in which it acted. */
  readonly hours: readonly HourUse[]
  readonly first_uses: readonly FirstUse[]
}

/** A moment at which a condition holds, and why. */
export interface AlertFinding {
  readonly at_ms: number
  readonly explanation: string
}

/** How many days of history define an agent's usual behavior. */
export const USUAL_DAYS = 28
/** Days with actions that an agent needs before something counts as unusual. */
export const LEARNING_DAYS = 7

/** Whether a condition is evaluated by the hour. All others are evaluated by the minute. */
export function isHourly({ kind }: AlertCondition): boolean {
  return kind === 'new_use' || kind === 'unusual_hours' || kind === 'spend_rate'
}

/** The length of the periods by which a condition is evaluated. */
export function unitMs(condition: AlertCondition): number {
  return isHourly(condition) ? HOUR_MS : MINUTE_MS
}

/**
 * Returns when a rule begins: with the first full minute or hour after it was created or changed. Counters don't tell
 * what happened earlier in the same minute or hour.
 */
export function beginningOf({
  condition,
  created_at_ms,
}: Pick<AlertRule, 'condition' | 'created_at_ms'>): number {
  return Math.ceil(created_at_ms / unitMs(condition)) * unitMs(condition)
}

/** A time range in which a condition is evaluated. */
export interface AlertRange {
  readonly from_ms: number
  readonly to_ms: number
  /** Earlier activity counts only toward what is usual. Without it, everything counts. */
  readonly begins_ms?: number
}

/**
 * Returns the moments in a time range at which a condition holds. They depend only on the counters of full minutes and
 * hours, which only grow during that minute or hour. So the same moments are found live and later.
 */
export function findings(
  condition: AlertCondition,
  history: AgentHistory,
  { from_ms, to_ms, begins_ms = 0 }: AlertRange,
): AlertFinding[] {
  const first_ms = Math.max(from_ms, begins_ms)
  return findAll(condition, history, begins_ms).filter(({ at_ms }) => at_ms >= first_ms && at_ms < to_ms)
}

function findAll(condition: AlertCondition, history: AgentHistory, begins_ms: number): AlertFinding[] {
  switch (condition.kind) {
    case 'denials':
      return denialBursts(condition, history, begins_ms / MINUTE_MS)
    case 'budget':
      return inMinutes(history, ({ budget_percent }) =>
        budget_percent >= condition.percent ? `A budget reached ${budget_percent} %` : undefined,
      )
    case 'rejected':
      return inMinutes(history, ({ rejected }) =>
        rejected > 0 ? `${counted(rejected, 'action was', 'actions were')} rated rejected` : undefined,
      )
    case 'chain':
      return inMinutes(history, ({ deepest }) =>
        deepest > condition.deeper_than
          ? `A token at delegation depth ${deepest}; the rule allows ${condition.deeper_than}`
          : undefined,
      )
    case 'new_use':
      return newUses(condition, history)
    case 'unusual_hours':
      return unusualHours(history)
    case 'spend_rate':
      return spendRates(condition, history)
  }
}

function inMinutes(
  { minutes }: AgentHistory,
  explain: (signals: MinuteSignals) => string | undefined,
): AlertFinding[] {
  return minutes.flatMap((signals) => {
    const explanation = explain(signals)
    return explanation === undefined ? [] : [{ at_ms: signals.minute * MINUTE_MS, explanation }]
  })
}

function denialBursts(
  { more_than, within_minutes }: Extract<AlertCondition, { kind: 'denials' }>,
  { minutes }: AgentHistory,
  begins: number,
): AlertFinding[] {
  const denied = minutes.filter((signals) => signals.denied > 0)
  const counts = denied.map(({ minute }) => sumOf(denied, minute - within_minutes, minute))
  return denied.flatMap(({ minute }) => {
    const count = sumOf(denied, Math.max(minute - within_minutes, begins - 1), minute)
    if (count <= more_than) return []
    const earlier = counts.filter((_, other) => (denied[other]?.minute ?? minute) <= minute - within_minutes)
    const explanation = `${counted(count, 'denial', 'denials')} in ${counted(within_minutes, 'minute', 'minutes')}; ${usualRange(Math.max(0, ...earlier))}`
    return [{ at_ms: minute * MINUTE_MS, explanation }]
  })
}

/** Sums the denials after minute `after`, up to and including `last`. */
function sumOf(minutes: readonly MinuteSignals[], after: number, last: number): number {
  return minutes.reduce((sum, { minute, denied }) => sum + (minute > after && minute <= last ? denied : 0), 0)
}

function usualRange(highest: number): string {
  return highest === 0 ? 'usual is none' : `usual is 0 to ${highest}`
}

function newUses(
  { of }: Extract<AlertCondition, { kind: 'new_use' }>,
  { first_uses, hours }: AgentHistory,
): AlertFinding[] {
  return first_uses
    .filter((use) => use.of === of && hasLearned(hours, use.hour))
    .map(({ hour, name }) => ({
      at_ms: hour * HOUR_MS,
      explanation: `First use of the ${of} ${name}, after ${activeDays(before(hours, hour)).size} days with actions`,
    }))
}

function unusualHours({ hours }: AgentHistory): AlertFinding[] {
  return hours
    .filter(({ hour, allowed }) => allowed > 0 && hasLearned(hours, hour))
    .flatMap(({ hour }) => {
      const usual = new Set(before(hours, hour).map((one) => hourOfDay(one.hour)))
      if ([-1, 0, 1].some((near) => usual.has(hourOfDay(hour + near)))) return []
      const clock = isoInstant(hour * HOUR_MS).slice(11, 13)
      const explanation = `Actions between ${clock}:00 and ${clock}:59 UTC; in ${USUAL_DAYS} days it acted in ${counted(usual.size, 'other hour', 'other hours')} of the day, none of them close to this one`
      return [{ at_ms: hour * HOUR_MS, explanation }]
    })
}

function spendRates(
  { times, at_least_usd }: Extract<AlertCondition, { kind: 'spend_rate' }>,
  { hours }: AgentHistory,
): AlertFinding[] {
  return hours
    .filter(({ hour }) => hasLearned(hours, hour))
    .flatMap(({ hour, spend_micro_usd }) => {
      const usual = Math.max(0, ...before(hours, hour).map((one) => one.spend_micro_usd))
      const spent = toUsd(spend_micro_usd)
      if (spent < at_least_usd || spend_micro_usd <= usual * times) return []
      const explanation = `$${spent.toFixed(2)} in one hour; usual is $0.00 to $${toUsd(usual).toFixed(2)}`
      return [{ at_ms: hour * HOUR_MS, explanation }]
    })
}

/** Returns the hours that define what is usual at `hour`. */
function before(hours: readonly HourUse[], hour: number): HourUse[] {
  return hours.filter((one) => one.hour < hour && one.hour >= hour - USUAL_DAYS * 24)
}

function hasLearned(hours: readonly HourUse[], hour: number): boolean {
  return activeDays(before(hours, hour)).size >= LEARNING_DAYS
}

function activeDays(hours: readonly HourUse[]): Set<number> {
  return new Set(hours.filter(({ allowed }) => allowed > 0).map(({ hour }) => Math.floor(hour / 24)))
}

function hourOfDay(hour: number): number {
  return ((hour % 24) + 24) % 24
}

function counted(count: number, one: string, many: string): string {
  return `${count} ${count === 1 ? one : many}`
}

/** Returns the start of the window that contains `at_ms`. A rule fires at most once per window and agent. */
export function windowOf({ window_minutes }: Pick<AlertRule, 'window_minutes'>, at_ms: number): number {
  const length = window_minutes * MINUTE_MS
  return Math.floor(at_ms / length) * length
}

/** Like `windowOf`, for a stored rule. The first window begins with the rule, so a changed rule can fire again. */
export function windowOfRule(
  rule: Pick<AlertRule, 'condition' | 'created_at_ms' | 'window_minutes'>,
  at_ms: number,
): number {
  return Math.max(windowOf(rule, at_ms), beginningOf(rule))
}

/** Returns the findings that fire: the first of each window. */
export function firings(
  rule: Pick<AlertRule, 'window_minutes'>,
  found: readonly AlertFinding[],
): AlertFinding[] {
  const seen = new Set<number>()
  return found.filter(({ at_ms }) => {
    const start = windowOf(rule, at_ms)
    if (seen.has(start)) return false
    seen.add(start)
    return true
  })
}

/** Returns how much history a condition needs before the time range that is evaluated. */
export function lookBackMs(condition: AlertCondition): number {
  return isHourly(condition) ? USUAL_DAYS * DAY_MS : DAY_MS
}

/** Rules that fit most deployments. They only notify: whether one may stop an agent is for an operator to decide. */
export const SUGGESTED_RULES = {
  'denial-burst': { name: 'Many denials', condition: { kind: 'denials', more_than: 10, within_minutes: 5 } },
  'budget-80': { name: 'Budget almost spent', condition: { kind: 'budget', percent: 80 } },
  rejected: { name: 'Action rated rejected', condition: { kind: 'rejected' } },
  'new-resource': { name: 'New resource', condition: { kind: 'new_use', of: 'resource' } },
  'new-action': { name: 'New action', condition: { kind: 'new_use', of: 'action' } },
  'unusual-hours': { name: 'Unusual hours', condition: { kind: 'unusual_hours' } },
  'spend-rate': {
    name: 'Spends faster than usual',
    condition: { kind: 'spend_rate', times: 3, at_least_usd: 10 },
  },
  'deep-chain': { name: 'Deep delegation', condition: { kind: 'chain', deeper_than: 5 } },
} as const satisfies Record<string, { readonly name: string; readonly condition: AlertCondition }>
