import type { DatabaseSync } from 'node:sqlite'
import type { Frontier } from '@deputize/protocol'
import { addTallies } from '../../../domain/reputation.ts'
import type { PendingRecords } from '../../pending-records.ts'
import type { Facts, KnownAgent, Needs } from '../../port/write-store.ts'
import { knownAgentOf } from '../../rows/agents.ts'
import { text } from '../../values.ts'
import { agentKeyReader } from '../read/agent-keys.ts'
import { entryTables } from '../read/entries.ts'
import { habitKeyReader, habitReader } from '../read/habits.ts'
import { liveTokens } from '../read/live-tokens.ts'
import { nameReader } from '../read/names.ts'
import { registryReader } from '../read/registry.ts'
import type { FieldOpener } from '../read/sealed-fields.ts'
import { selection } from '../read/selection.ts'
import type { TokenReader } from '../read/tokens.ts'
import { trustFacts } from '../read/vouches.ts'
import type { DeferredSums } from './deferred-sums.ts'
import type { People } from './people.ts'
import { replayReader } from './replays.ts'

const EVERY_ADDRESS = { limit: 1_000_000, before: undefined }

/**
 * Reads the facts of a batch, each when a judge asks for it. This connection is the only writer, so token states that
 * an earlier batch read or changed are still current; they are dropped after a rollback.
 */
export function factReader(
  db: DatabaseSync,
  tokens: TokenReader,
  people: People,
  open: FieldOpener,
  deferred: DeferredSums,
  pending: PendingRecords,
) {
  const { records, approvals } = entryTables(db, tokens, nameReader(db), open)
  const habit = habitReader(db)
  const habitKeys = habitKeyReader(db)
  const registry = registryReader(db, open)
  const replay = replayReader(db, open)
  const live = liveTokens(db, tokens)
  const agent = agentReader(db, deferred)
  const agentKeys = agentKeyReader(db)
  const trust = trustFacts(db)
  const overdueIds = db.prepare(
    'SELECT aar_id FROM records WHERE state = 0 AND expires_at_ms <= ? ORDER BY expires_at_ms LIMIT ?',
  )

  return ({ overdue }: Needs, now_ms: number, frontier: Frontier): Facts => {
    tokens.trim()
    return {
      now_ms,
      frontier,
      overdue: overdue === 0 ? [] : overdueIds.all(now_ms, overdue).map((row) => text(row.aar_id)),
      chain: tokens.chain,
      record: (aar_id) => pending.get(aar_id) ?? records.byId(aar_id),
      approval: approvals.byId,
      openApproval: approvals.open,
      denials: approvals.denials,
      denialsInARow: approvals.denialsInARow,
      countOpenApprovals: (owner) => approvals.countOpen(owner, now_ms),
      habit,
      habitKeys,
      agentMarks: tokens.agentMarks,
      humanMarks: tokens.storedHumanMarks,
      newHumanMarks: tokens.humanMarks,
      agent,
      keyHolders: agentKeys.holders,
      sharedKeyHolders: agentKeys.sharing,
      hasDelegated: agentKeys.hasDelegated,
      registry: registry.entry,
      linkedRefs: (owner) => registry.list('identity', { owner }, EVERY_ADDRESS).entries.map(({ id }) => id),
      ...trust(now_ms),
      person: people.known,
      digest: people.digest,
      replay: (key) => replay(key, now_ms),
      countLive: (jti) => live.below(jti, now_ms),
      countLiveOf: (owner) => live.of(owner, now_ms),
    }
  }
}

/** Includes deferred sums, because a decision may depend on the agent's reputation. */
function agentReader(db: DatabaseSync, deferred: DeferredSums): (agent_id: string) => KnownAgent | undefined {
  const byId = db.prepare(`SELECT ${selection('agents')} FROM agents WHERE agent_id = ?`)
  return (agent_id) => {
    const row = byId.get(agent_id)
    if (row === undefined) return undefined
    const known = knownAgentOf(row)
    return { ...known, tally: deferred.tallies(agent_id).reduce(addTallies, known.tally) }
  }
}
