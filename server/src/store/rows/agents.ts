import type { AgentTally } from '../../domain/reputation.ts'
import { dayOf } from '../../domain/times/time.ts'
import type { KnownAgent } from '../port/write-store.ts'
import type { AgentFacts } from '../port.ts'
import { rowReader } from '../row-reader.ts'
import { type RowOf, SUM_COLUMNS } from '../tables.ts'
import { optionalRank, type Row } from '../values.ts'
import type { DataKey, Place } from '../vault.ts'
import { type RowKeys, sealedText, tenantKey } from './row-keys.ts'

const readSums = rowReader('agent_days', SUM_COLUMNS)
const readAgent = rowReader('agents')
const readKnown = rowReader('agents', ['profile', 'owned_by'])

/** Reads the sums in a row of `agents` or `agent_days`. */
export function tallyOf(row: Row): AgentTally {
  const sums = readSums(row)
  return {
    total_actions: sums.total_actions,
    completed_actions: sums.completed_actions,
    scored_actions: sums.scored_actions,
    outcome_halves: sums.outcome_halves,
    observed_actions: sums.observed_actions,
    observed_halves: sums.observed_halves,
    approved: sums.approved,
    flagged: sums.flagged,
    rejected: sums.rejected,
  }
}

function suspendReasonPlace(agent_id: string): Place {
  return { kind: 'agent.suspend_reason', row: agent_id }
}

export type AgentReasonRow = Pick<RowOf<'agents'>, 'agent_key' | 'suspend_reason'>

/** Returns the sealed reason of a suspension, which no person owns. Without a reason, the column is cleared. */
export function agentReasonRow(agent_id: string, reason: string | undefined, keys: RowKeys): AgentReasonRow {
  return {
    agent_key: keys.agent(agent_id),
    suspend_reason: sealedText(keys, undefined, suspendReasonPlace(agent_id), reason),
  }
}

/** Reads a row of `agents`. */
export function agentFactsOf(row: Row, deployment: DataKey): AgentFacts {
  const agent = readAgent(row)
  const { agent_id, suspend_reason } = agent
  return {
    agent_id,
    profile: agent.profile ?? undefined,
    owned_by: ownersIn(agent.owned_by),
    suspended_at_ms: agent.suspended_at_ms ?? undefined,
    suspended_rank: optionalRank(agent.suspended_rank),
    suspend_reason:
      suspend_reason === null ? undefined : deployment.open(suspendReasonPlace(agent_id), suspend_reason),
    tally: tallyOf(row),
    first_seen_ms: agent.first_seen_ms,
    last_action_ms: agent.last_action_ms ?? undefined,
  }
}

/** Reads the facts of an agent that judges use, from a row of `agents`. */
export function knownAgentOf(row: Row): KnownAgent {
  const { profile, owned_by } = readKnown(row)
  return { profile: profile ?? undefined, owned_by: ownersIn(owned_by), tally: tallyOf(row) }
}

/** Parses the column, which only this store writes, from a list of strings. */
function ownersIn(owned_by: string | null): string[] | undefined {
  return owned_by === null ? undefined : JSON.parse(owned_by)
}

/** The columns of `agents` that a batch sets or adds to. Marks and profiles are set separately. */
export const AGENT_COLUMNS = [
  'agent_key',
  'agent_id',
  'first_seen_ms',
  'tenant_key',
  'last_action_ms',
  ...SUM_COLUMNS,
] as const

/** What a batch adds to an agent. `last_action_ms` is null if the agent did not act. */
export type AgentRow = Pick<RowOf<'agents'>, (typeof AGENT_COLUMNS)[number]>

export function agentRow(
  agent_id: string,
  tally: AgentTally,
  keys: Pick<RowKeys, 'name' | 'agent'>,
  now_ms: number,
): AgentRow {
  return {
    agent_key: keys.agent(agent_id),
    agent_id,
    first_seen_ms: now_ms,
    tenant_key: tenantKey(agent_id, keys),
    last_action_ms: tally.total_actions > 0 ? now_ms : null,
    ...tally,
  }
}

/** Whether the batch adds anything to the agent. */
export function addsToAgent(row: AgentRow): boolean {
  return SUM_COLUMNS.some((name) => row[name] > 0)
}

/** Returns what a batch adds to an agent's day. */
export function agentDayRow({ agent_key, ...row }: AgentRow, now_ms: number): RowOf<'agent_days'> {
  return { agent_key, day: dayOf(now_ms), ...tallyOf(row) }
}
