import type { Needs } from '../../port/write-store.ts'
import { FACT_KINDS } from './fact-kinds.ts'
import type { FactLoader } from './fact-source.ts'
import type { PeopleSource } from './people.ts'

export type FactKind = keyof typeof FACT_KINDS
/** The key with which a judge asks for a fact of a kind. */
export type FactKey<K extends FactKind> =
  (typeof FACT_KINDS)[K] extends FactLoader<infer Key, infer _> ? Key : never
export type FactAnswer<K extends FactKind> =
  (typeof FACT_KINDS)[K] extends FactLoader<infer _, infer Answer> ? Answer : never

export type RequestsByKind = { readonly [K in FactKind]: Map<string, FactKey<K>> }

/** What a batch's judges ask for. It grows from one attempt to the next, until everything is loaded. */
export interface FactRequests extends RequestsByKind {
  /** How many overdue records to find. */
  readonly overdue: number
  readonly tokens: Set<string>
  readonly agents: Set<string>
  readonly humans: Set<string>
  /** Agents for which the memory must know whether there is a vouch. */
  readonly vouched: Set<string>
  /**
   * Data keys that earlier attempts created, by number and person. A new attempt must reuse them, because the judges
   * ask for digests made with them.
   */
  readonly made_keys: PeopleSource['made']
  /** Requests that are assumed to be new without looking them up; the statement that writes the batch does that. */
  readonly assumed_new: ReadonlySet<string>
}

/** How a batch learns which of its requests were answered before. */
export type Repetition = 'looked_up' | 'assumed_new'

/** The answers of one attempt, by name. Judges modify what they get, so attempts never share answers. */
export type FactAnswers = { readonly [K in FactKind]: Map<string, FactAnswer<K>> }

export const FACT_KIND_NAMES = Object.keys(FACT_KINDS) as FactKind[] // it has no other members

/** Returns the requests that are known before the first attempt. */
export function firstRequests(needs: Needs, repetition: Repetition): FactRequests {
  const isAssumed = repetition === 'assumed_new'
  const asked: RequestsByKind = emptyMaps()
  addNames(asked.records, needs.records)
  addNames(asked.approvals, needs.approvals)
  addNames(asked.agent_facts, needs.identities)
  if (!isAssumed) addNames(asked.replays, needs.replays)
  for (const [name, key] of needs.key_holders) asked.key_holders.set(name, key)
  for (const [name, key] of needs.registry) asked.registry.set(name, key)
  return {
    ...asked,
    overdue: needs.overdue,
    tokens: new Set(needs.tokens),
    agents: new Set(needs.agents),
    humans: new Set(needs.humans),
    vouched: new Set(),
    made_keys: new Map(),
    assumed_new: isAssumed ? needs.replays : new Set(),
  }
}

function addNames(asked: Map<string, string>, names: Iterable<string>): void {
  for (const name of names) asked.set(name, name)
}

export function noAnswers(): FactAnswers {
  return emptyMaps()
}

function emptyMaps(): Record<FactKind, Map<string, never>> {
  const maps: Partial<Record<FactKind, Map<string, never>>> = {}
  for (const kind of FACT_KIND_NAMES) maps[kind] = new Map<string, never>()
  return maps as Required<typeof maps> // each kind has one now
}
