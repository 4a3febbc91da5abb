import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Clerk } from '../clerk/clerk.ts'
import { beginningOf, findings, firings, isHourly, unitMs, windowOfRule } from '../domain/alert.ts'
import { HOUR_MS } from '../domain/times/time.ts'
import { alertId } from '../log/alert-id.ts'
import type { ActiveQuery } from '../store/port/stats-reader.ts'
import type { ReadStore } from '../store/port.ts'
import { readHistory } from './agent-history.ts'
import { type KnownRule, readRules } from './alert-rules.ts'

export interface AlertWatchOptions {
  readonly reader: ReadStore
  readonly clerk: Pick<Clerk, 'submit'>
  readonly clock: () => number
  /** Agents that are read at a time. */
  readonly page?: number
}

/** After all nodes were down, activity up to this long before the start is evaluated. */
const LOOK_BACK_MS = 24 * HOUR_MS
/**
 * How much later than the time of its leaf a change may show: commits take a while, for instance when the database fails
 * over, and the clocks of nodes differ a little.
 */
const SHOWS_WITHIN_MS = 30_000
/** Agents that are read at a time, so that memory is bounded however many are active. */
const PAGE = 1_000
/** After this many agents, calls get their turn, because reads of the embedded store never yield. */
const TURN = 50

/**
 * Evaluates the rules of all tenants. It reads counters, not the log, so a flood of actions doesn't delay it: one round
 * reads what changed per agent and minute, however many actions there were. It looks at every agent that was active
 * since the last round, so that no crowd hides another agent. Every node does this; the clerk lets the first one fire.
 */
export class AlertWatch {
  readonly #options: AlertWatchOptions
  /** The time up to which each rule, in its current version, was evaluated with everything that had happened. */
  #seen = new Map<string, number>()

  constructor(options: AlertWatchOptions) {
    this.#options = options
  }

  /** Evaluates every rule once. Rules about one agent go first: they take one query each, whatever the others find. */
  async runOnce(): Promise<void> {
    const now_ms = this.#options.clock()
    const enabled = (await readRules(this.#options.reader.registry)).filter(({ rule }) => rule.enabled)
    const rules = enabled.toSorted((a, b) => breadthOf(a) - breadthOf(b))
    const seen = new Map<string, number>()
    for (const known of rules) {
      await this.#evaluate(known, now_ms)
      seen.set(versionOf(known), now_ms - SHOWS_WITHIN_MS)
    }
    this.#seen = seen // rules that are gone are forgotten
  }

  async #evaluate(known: KnownRule, now_ms: number): Promise<void> {
    const { rule, tenant_id } = known
    const unit = isHourly(rule.condition) ? 'hour' : 'minute'
    const unit_ms = unitMs(rule.condition)
    const since_ms = this.#seen.get(versionOf(known)) ?? now_ms - LOOK_BACK_MS
    // The minute or hour that was under way then may have grown since.
    const from_ms = Math.max(Math.floor(since_ms / unit_ms) * unit_ms, beginningOf(rule))
    if (now_ms < from_ms) return
    const { agent_id } = rule
    let evaluated = 0
    for await (const one of this.#activeAgents({ tenant_id, unit, from: from_ms / unit_ms, agent_id })) {
      await this.#evaluateAgent(known, one, from_ms, now_ms)
      evaluated += 1
      if (evaluated % TURN === 0) await nextTurn()
    }
  }

  /** Yields the agents with the most denials and spend first, then all others. */
  async *#activeAgents(query: Omit<ActiveQuery, 'limit' | 'after'>): AsyncGenerator<string> {
    const { reader, page: limit = PAGE } = this.#options
    const worst = await reader.stats.activeSince({ ...query, limit })
    yield* worst
    const evaluated = new Set(worst)
    let isFull = worst.length === limit && query.agent_id === undefined
    for (let after = ''; isFull; ) {
      const page = await reader.stats.activeSince({ ...query, limit, after })
      yield* page.filter((agent_id) => !evaluated.has(agent_id))
      after = page.at(-1) ?? ''
      isFull = page.length === limit
    }
  }

  async #evaluateAgent(known: KnownRule, agent_id: string, from_ms: number, now_ms: number): Promise<void> {
    const { rule_id, rule } = known
    const { reader, clerk } = this.#options
    const history = await readHistory(reader.stats, agent_id, rule.condition, from_ms, now_ms)
    const range = { from_ms, to_ms: now_ms + 1, begins_ms: beginningOf(rule) }
    for (const { at_ms, explanation } of firings(rule, findings(rule.condition, history, range))) {
      const id = alertId(rule_id, agent_id, windowOfRule(rule, at_ms))
      // The clerk decides. Looking first saves a commit for alerts that have already fired.
      if ((await reader.registry.entry('alert', id)) !== undefined) continue
      await clerk.submit({ kind: 'fire_alert', rule_id, agent_id, at_ms, explanation }, 'stop')
    }
  }
}

function breadthOf({ rule }: KnownRule): number {
  return rule.agent_id === undefined ? 1 : 0
}

function versionOf({ rule_id, log_index }: KnownRule): string {
  return `${rule_id} ${log_index}`
}
