import { append, type Frontier, leafHash, type Rating } from '@deputy/protocol'
import type { StoredDenial } from '../domain/denial.ts'
import type { StoredRating, StoredRecord } from '../domain/record.ts'
import {
  type AgentTally,
  countCompleted,
  countCreated,
  countRated,
  emptyTally,
} from '../domain/reputation.ts'
import { isoInstant } from '../domain/time.ts'
import type { Chain, Token, TokenState } from '../domain/token.ts'
import { freshState } from '../domain/token.ts'
import { type LeafType, leafText } from '../log/leaf.ts'
import type { Changes, Facts, NewReplay, StoredReplay, WorkflowDelta } from '../store/port.ts'

/** Where a change stands in the log. */
export interface Entry {
  readonly log_index: number
  readonly leaf_hash: Uint8Array
}

/**
 * One batch at work: judges read the facts here and write their changes here, and each sees what those before it did.
 * Nothing leaves the ledger until the store has made `changes` durable.
 */
export interface Ledger {
  readonly now_ms: number
  readonly changes: Changes
  readonly overdue: readonly string[]
  chain(jti: string): Chain | undefined
  record(aar_id: string): StoredRecord | undefined
  replay(key: string): StoredReplay | undefined
  /** Appends a leaf; `members` must hold nothing personal and no token id. */
  log(type: LeafType, members: Record<string, unknown>): Entry
  addToken(token: Token, parent_jti: string | undefined, jwt_hash: string): void
  addRecord(record: StoredRecord): void
  /** Call after changing a pending record into a closed one. */
  closeRecord(record: StoredRecord): void
  rate(record: StoredRecord, rating: StoredRating): void
  addDenial(denial: StoredDenial): void
  /** Call after changing the state of any link of the chain. */
  touch(chain: Chain): void
  keepReplay(replay: NewReplay): void
  forgetReplays(): void
  probe(): void
}

export function openLedger(facts: Facts): Ledger {
  const { now_ms } = facts
  const at = isoInstant(now_ms)
  const frontier = copyOf(facts.frontier)
  const replays = new Map<string, StoredReplay>()
  const newChains = new Map<string, Chain>()
  const newRecords = new Map<string, StoredRecord>()
  const changes: Changes = {
    tokens: [],
    states: new Map(),
    created: new Set(),
    closed: new Set(),
    ratings: [],
    denials: [],
    leaves: [],
    frontier,
    replays: [],
    workflows: new Map(),
    agents: new Map(),
    probe: false,
    forget_replays_before_ms: undefined,
  }

  return {
    now_ms,
    changes,
    overdue: facts.overdue,
    chain: (jti) => newChains.get(jti) ?? facts.chain(jti),
    record: (aar_id) => newRecords.get(aar_id) ?? facts.record(aar_id),
    replay: (key) => replays.get(key) ?? facts.replay(key),

    log(type, members) {
      const text = leafText({ v: 1, type, at, ...members })
      const hash = leafHash(text)
      const log_index = frontier.size
      append(frontier, hash)
      changes.leaves.push({ text, hash })
      return { log_index, leaf_hash: hash }
    },

    addToken(token, parent_jti, jwt_hash) {
      changes.tokens.push({ token, parent_jti, jwt_hash })
      newChains.set(token.jti, [{ token, state: freshState() }])
      workflowDelta(changes, token.provenance_ref)
      agentTally(changes, token.agent_id)
    },

    addRecord(record) {
      changes.created.add(record)
      newRecords.set(record.aar_id, record)
      const workflow = workflowDelta(changes, record.provenance_ref)
      workflow.records += 1
      increment(workflow.agents, record.agent_id)
      increment(workflow.actions, record.action)
      const tally = agentTally(changes, record.agent_id)
      countCreated(tally)
      if (record.state === 'completed') countOutcome(workflow, tally, record)
    },

    closeRecord(record) {
      if (!changes.created.has(record)) changes.closed.add(record)
      if (record.state !== 'completed') return
      countOutcome(
        workflowDelta(changes, record.provenance_ref),
        agentTally(changes, record.agent_id),
        record,
      )
    },

    rate(record, rating) {
      record.rating = rating
      changes.ratings.push({ record, rating })
      countRated(agentTally(changes, record.agent_id), rating.rating satisfies Rating)
    },

    addDenial(denial) {
      changes.denials.push(denial)
    },

    touch(chain) {
      for (const { token, state } of chain) changes.states.set(token.jti, state satisfies TokenState)
    },

    keepReplay(replay) {
      replays.set(replay.key, replay)
      changes.replays.push(replay)
    },

    forgetReplays() {
      changes.forget_replays_before_ms = now_ms
    },

    probe() {
      changes.probe = true
    },
  }
}

function copyOf(frontier: Frontier): Frontier {
  return { size: frontier.size, peaks: [...frontier.peaks] }
}

function workflowDelta(changes: Changes, provenance_ref: string): WorkflowDelta {
  let delta = changes.workflows.get(provenance_ref)
  if (delta === undefined) {
    delta = { records: 0, agents: new Map(), actions: new Map(), results: new Map() }
    changes.workflows.set(provenance_ref, delta)
  }
  return delta
}

function agentTally(changes: Changes, agent_id: string): AgentTally {
  let tally = changes.agents.get(agent_id)
  if (tally === undefined) {
    tally = emptyTally()
    changes.agents.set(agent_id, tally)
  }
  return tally
}

function countOutcome(workflow: WorkflowDelta, tally: AgentTally, { result }: StoredRecord): void {
  if (result === undefined) return
  increment(workflow.results, result)
  countCompleted(tally, result)
}

function increment(counts: Map<string, number>, name: string): void {
  counts.set(name, (counts.get(name) ?? 0) + 1)
}
