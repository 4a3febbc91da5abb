import type { AgentTally } from '../../domain/reputation.ts'
import { MINUTE_MS } from '../../domain/times/time.ts'
import {
  addSums,
  type LastActions,
  noSums,
  readSums,
  type SumKeys,
  type SumRows,
  type Sums,
  sumRows,
} from './sums.ts'

/**
 * How long sums may be deferred, in log time. All callers wait while sums are written, so this must be rare enough to
 * affect fewer than one request in a hundred.
 */
const MOST_MS = 4_000
/**
 * How many workflows, agents and uses may be deferred. Writing them is part of one commit, which other batches await.
 */
const MOST_ENTRIES = 4_000

/** Sums of one minute. Counters have buckets of a minute or longer, so sums can be added up before they are written. */
interface MinuteSums extends Sums {
  readonly minute: number
  readonly last: { readonly [K in keyof LastActions]: Map<string, number> }
}

/**
 * Sums of batches, added up minute by minute. For each action a batch adds to about ten sums, mostly the same ones, so
 * adding them up first saves most of the rows.
 */
export class SumsByMinute {
  readonly #minutes: MinuteSums[] = []
  #since_ms = 0

  /** Reads the texts of batches in their order. Throws if one can't be read. */
  static of(texts: readonly string[]): SumsByMinute {
    const all = new SumsByMinute()
    for (const text of texts) {
      const { sums, at_ms } = readSums(text)
      all.add(sums, at_ms)
    }
    return all
  }

  /** Adds sums. Some are moved, not copied, so the caller must not change them later. */
  add(sums: Sums, now_ms: number): void {
    const minute = Math.floor(now_ms / MINUTE_MS)
    let current = this.#minutes.at(-1)
    if (current === undefined) this.#since_ms = now_ms
    if (current?.minute !== minute) {
      current = { ...noSums(), minute, last: { workflows: new Map(), agents: new Map() } }
      this.#minutes.push(current)
    }
    for (const [ref, { records }] of sums.workflows) if (records > 0) current.last.workflows.set(ref, now_ms)
    for (const [agent_id, { total_actions }] of sums.agents)
      if (total_actions > 0) current.last.agents.set(agent_id, now_ms)
    addSums(current, sums)
  }

  isEmpty(): boolean {
    return this.#minutes.length === 0
  }

  /** Whether it is time to write them. */
  isDue(now_ms: number): boolean {
    const [first] = this.#minutes
    if (first === undefined) return false
    return now_ms - this.#since_ms >= MOST_MS || this.#minutes.length > 1 || entriesOf(first) >= MOST_ENTRIES
  }

  /** The sums of each minute. */
  get minutes(): readonly Sums[] {
    return this.#minutes
  }

  /** Returns what an agent's sums gain once these are written. */
  tallies(agent_id: string): AgentTally[] {
    return this.#minutes.flatMap(({ agents }) => agents.get(agent_id) ?? [])
  }

  /** Returns the rows of each minute, which must be added to their tables one minute at a time. */
  rows(keys: SumKeys): SumRows[] {
    return this.#minutes.map((one) => sumRows(one, keys, one.minute * MINUTE_MS, one.last))
  }
}

function entriesOf({ workflows, agents, activity }: Sums): number {
  return workflows.size + agents.size + activity.uses.size
}
