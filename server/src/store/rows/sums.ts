import { type AgentTally, addTallies, emptyTally } from '../../domain/reputation.ts'
import {
  addCounts,
  addSignals,
  type CountedUse,
  type Counts,
  noActivity,
  noCounts,
  noSignals,
  type Signals,
  useName,
} from '../../domain/stats.ts'
import type { Changes, WorkflowDelta } from '../port/changes.ts'
import type { FormFault } from '../port/store-tables.ts'
import type { RowOf, TableName } from '../tables.ts'
import { type AgentRow, addsToAgent, agentDayRow, agentRow } from './agents.ts'
import { counterRows } from './counters.ts'
import type { RowKeys } from './row-keys.ts'
import { type TallyRows, tallyRows } from './tallies.ts'

/** The part of the changes that only adds to the sums of workflows, agents and tenants. */
export type Sums = Pick<Changes, 'workflows' | 'agents' | 'activity'>

/** The tables that sums are added to, and the table that holds deferred ones until then. */
export const TABLES_OF_SUMS = [
  'agents',
  'agent_days',
  'counters',
  'workflow_tallies',
  'deferred_sums',
] as const satisfies TableName[]

/** Reports that deferred sums can't be added to their tables. */
export function sumsFault(cause: unknown): FormFault {
  const why = cause instanceof Error ? cause.message : String(cause)
  return { name: 'deferred_sums', sentence: `The rows of deferred_sums cannot be added up: ${why}.` }
}

/** When each workflow and each agent last acted, if that differs from the time of the sums. */
export interface LastActions {
  readonly workflows: ReadonlyMap<string, number>
  readonly agents: ReadonlyMap<string, number>
}

/** The rows of `Sums`. */
export interface SumRows extends TallyRows {
  /** Every agent that the batch names, including those it adds nothing to. */
  readonly agents: readonly AgentRow[]
  readonly agent_days: readonly RowOf<'agent_days'>[]
  readonly counters: readonly RowOf<'counters'>[]
}

export const NO_SUM_ROWS: SumRows = {
  agents: [],
  agent_days: [],
  counters: [],
  agent_tallies: [],
  other_tallies: [],
}

export type SumKeys = Pick<RowKeys, 'name' | 'agent' | 'workflow'>

export function sumRows(sums: Sums, keys: SumKeys, now_ms: number, last?: LastActions): SumRows {
  const counted = Array.from(sums.workflows, ([ref, delta]) =>
    tallyRows(ref, delta, keys, last?.workflows.get(ref) ?? now_ms),
  )
  const agents = Array.from(sums.agents, ([agent_id, tally]) =>
    agentRow(agent_id, tally, keys, last?.agents.get(agent_id) ?? now_ms),
  )
  return {
    agent_tallies: counted.flatMap(({ agent_tallies }) => agent_tallies),
    other_tallies: counted.flatMap(({ other_tallies }) => other_tallies),
    agents,
    agent_days: agents.filter(addsToAgent).map((row) => agentDayRow(row, now_ms)),
    counters: counterRows(sums, keys, now_ms),
  }
}

export function noSums(): Sums {
  return { workflows: new Map(), agents: new Map(), activity: noActivity() }
}

/** Adds sums to others. Entries that `to` lacks are moved, not copied, so the caller must not change them later. */
export function addSums(to: Sums, more: Sums): void {
  for (const [ref, delta] of more.workflows) addWorkflow(to.workflows, ref, delta)
  for (const [agent_id, tally] of more.agents) {
    const known = to.agents.get(agent_id)
    to.agents.set(agent_id, known === undefined ? tally : addTallies(known, tally))
  }
  const { uses, signals, reasons } = more.activity
  for (const [name, use] of uses) addUse(to.activity.uses, name, use)
  for (const [agent_id, added] of signals) {
    const known = to.activity.signals.get(agent_id)
    if (known === undefined) to.activity.signals.set(agent_id, added)
    else addSignals(known, added)
  }
  for (const [agent_id, added] of reasons) {
    const known = to.activity.reasons.get(agent_id)
    if (known === undefined) to.activity.reasons.set(agent_id, added)
    else addEach(known, added)
  }
}

function addWorkflow(to: Sums['workflows'], ref: string, delta: WorkflowDelta): void {
  const known = to.get(ref)
  if (known === undefined) {
    to.set(ref, delta)
    return
  }
  known.records += delta.records
  addEach(known.agents, delta.agents)
  addEach(known.actions, delta.actions)
  addEach(known.results, delta.results)
}

function addUse(to: Map<string, CountedUse>, name: string, use: CountedUse): void {
  const known = to.get(name)
  if (known === undefined) {
    to.set(name, use)
    return
  }
  addCounts(known.counts, use.counts)
  known.first_index ??= use.first_index
}

function addEach(to: Map<string, number>, more: ReadonlyMap<string, number>): void {
  for (const [name, count] of more) to.set(name, (to.get(name) ?? 0) + count)
}

/** The written form of deferred sums. Members that are 0 are left out. */
interface WrittenSums {
  readonly at_ms: number
  readonly workflows: readonly [ref: string, records: number, ...counts: [string, number][][]][]
  readonly agents: readonly [agent_id: string, Partial<AgentTally>][]
  readonly uses: readonly (Omit<CountedUse, 'counts'> & { readonly counts: Partial<Counts> })[]
  readonly signals: readonly [agent_id: string, Partial<Signals>][]
  readonly reasons: readonly [agent_id: string, [string, number][]][]
}

/** Returns the text of deferred sums. Undefined if there is nothing to add. */
export function sumsText({ workflows, agents, activity }: Sums, at_ms: number): string | undefined {
  const written: WrittenSums = {
    at_ms,
    workflows: Array.from(workflows)
      .filter(([, { records, results }]) => records > 0 || results.size > 0)
      .map(([ref, { records, agents: of, actions, results }]) => [
        ref,
        records,
        [...of],
        [...actions],
        [...results],
      ]),
    agents: Array.from(agents, ([agent_id, tally]): [string, Partial<AgentTally>] => [
      agent_id,
      withoutZeros(tally),
    ]).filter(([, tally]) => Object.keys(tally).length > 0),
    uses: Array.from(activity.uses.values(), (use) => ({ ...use, counts: withoutZeros(use.counts) })),
    signals: Array.from(activity.signals, ([agent_id, signals]) => [agent_id, withoutZeros(signals)]),
    reasons: Array.from(activity.reasons, ([agent_id, reasons]) => [agent_id, [...reasons]]),
  }
  const isEmpty = Object.values(written).every((part) => !Array.isArray(part) || part.length === 0)
  return isEmpty ? undefined : JSON.stringify(written)
}

function withoutZeros<T extends { readonly [K in keyof T]: number }>(counts: T): Partial<T> {
  const kept: Partial<T> = {}
  for (const name in counts) if (counts[name] !== 0) kept[name] = counts[name]
  return kept
}

/** Reads what `sumsText` wrote. Throws for any other text. */
export function readSums(text: string): { readonly sums: Sums; readonly at_ms: number } {
  const written = JSON.parse(text) as WrittenSums // only `sumsText` writes it, and `deputy check` compares the sums
  const sums = noSums()
  for (const [ref, records, agents, actions, results] of written.workflows)
    sums.workflows.set(ref, {
      records,
      agents: new Map(agents),
      actions: new Map(actions),
      results: new Map(results),
    })
  for (const [agent_id, tally] of written.agents) sums.agents.set(agent_id, { ...emptyTally(), ...tally })
  const { uses, signals, reasons } = sums.activity
  for (const use of written.uses)
    uses.set(useName(use), { ...use, first_index: use.first_index, counts: { ...noCounts(), ...use.counts } })
  for (const [agent_id, added] of written.signals) signals.set(agent_id, { ...noSignals(), ...added })
  for (const [agent_id, added] of written.reasons) reasons.set(agent_id, new Map(added))
  return { sums, at_ms: written.at_ms }
}
