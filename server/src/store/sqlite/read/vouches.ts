import type { DatabaseSync, SQLInputValue } from 'node:sqlite'
import { loggedAgent } from '@deputize/protocol'
import { MOST_VOUCHES } from '../../../domain/vouch.ts'
import type { TrustReader } from '../../port/trust-reader.ts'
import type { Facts } from '../../port/write-store.ts'
import type { ChangeRows } from '../../rows/batch-rows.ts'
import { pageOf } from '../../rows/page.ts'
import {
  ASKED_SCORES,
  anchorOf,
  anchorSearch,
  askedScoreOf,
  CHANGED_VOUCH_COLUMNS,
  COUNT_VOUCHES,
  END_ANCHOR,
  END_VOUCHES_FROM,
  END_VOUCHES_TO,
  headOfLeaf,
  IN_TRUST_GRAPH,
  LEFT_SEALED,
  REMOVE_NOTES,
  REMOVE_REASON,
  SCORE_COLUMNS,
  storedLeafOf,
  TRUST_LEAVES,
  trustLeafValues,
  vouchOf,
  vouchSearch,
} from '../../rows/vouches.ts'
import { replaced } from '../../sql-text.ts'
import { columnsBesideKey } from '../../tables.ts'
import { integer } from '../../values.ts'
import { insertion } from '../write/insertion.ts'
import type { FieldOpener } from './sealed-fields.ts'

const BY_ID = 'SELECT * FROM vouches WHERE vouch_id = ?'
const ANCHOR = 'SELECT * FROM anchors WHERE human_ref = ?'
const OPEN_FROM = 'SELECT * FROM vouches WHERE from_ref = ? AND ended_index IS NULL'
const VOUCHED_FOR = 'SELECT 1 AS found FROM vouches WHERE to_ref = ? AND ended_index IS NULL LIMIT 1'
const ACTED_FOR = `SELECT 1 AS found FROM tokens
  WHERE human_key = (SELECT human_key FROM humans WHERE human_ref = ?)
    AND agent_key = (SELECT agent_key FROM agents WHERE agent_id = ?) LIMIT 1`

export function trustFacts(db: DatabaseSync) {
  const byId = db.prepare(BY_ID)
  const openFrom = db.prepare(OPEN_FROM)
  const openBetween = db.prepare(`${OPEN_FROM} AND to_ref = ?`)
  const vouchedFor = db.prepare(VOUCHED_FOR)
  const count = db.prepare(COUNT_VOUCHES)
  const acted = db.prepare(ACTED_FOR)
  const inGraph = db.prepare(IN_TRUST_GRAPH)
  const anchor = db.prepare(ANCHOR)
  const score = db.prepare('SELECT * FROM vouch_scores WHERE agent_id = ?')

  return (now_ms: number) =>
    ({
      vouch(vouch_id) {
        const row = byId.get(vouch_id)
        return row && vouchOf(row, LEFT_SEALED)
      },
      openVouches({ from, to }) {
        const rows = to === undefined ? openFrom.all(from) : openBetween.all(from, to)
        return rows.map((row) => vouchOf(row, LEFT_SEALED))
      },
      isVouchedFor: (agent_id) => vouchedFor.get(loggedAgent(agent_id)) !== undefined,
      countVouches: (from) => integer(count.get(from, now_ms, MOST_VOUCHES + 1)?.count),
      hasActedFor: (agent_id, human_ref) => acted.get(human_ref, agent_id) !== undefined,
      isInTrustGraph: (human_ref) => inGraph.get(human_ref, human_ref, human_ref) !== undefined,
      anchor(human_ref) {
        const row = anchor.get(human_ref)
        return row && anchorOf(row, LEFT_SEALED)
      },
      askedScore(agent_id) {
        const row = score.get(agent_id)
        return row && askedScoreOf(row)
      },
    }) satisfies Partial<Facts>
}

export function trustWriter(db: DatabaseSync): (rows: ChangeRows) => void {
  const keepVouch = insertion(
    db,
    'vouches',
    `ON CONFLICT (log_index) DO UPDATE SET ${replaced(CHANGED_VOUCH_COLUMNS)}`,
  )
  const keepAnchor = insertion(
    db,
    'anchors',
    `ON CONFLICT DO UPDATE SET ${replaced(columnsBesideKey('anchors'))}`,
  )
  const keepScore = insertion(db, 'vouch_scores', `ON CONFLICT DO UPDATE SET ${replaced(SCORE_COLUMNS)}`)
  return ({ vouches, anchors, vouch_scores }) => {
    for (const row of vouches) keepVouch(row)
    for (const row of anchors) keepAnchor(row)
    for (const row of vouch_scores) keepScore(row)
  }
}

/** Removes an erased person from the trust graph. */
export function trustEraser(db: DatabaseSync) {
  const endFrom = db.prepare(END_VOUCHES_FROM)
  const endTo = db.prepare(END_VOUCHES_TO)
  const removeNotes = db.prepare(REMOVE_NOTES)
  const endAnchor = db.prepare(END_ANCHOR)
  const removeReason = db.prepare(REMOVE_REASON)
  return (human_ref: string, erased_index: number, now_ms: number): void => {
    endFrom.run(now_ms, erased_index, human_ref)
    endTo.run(now_ms, erased_index, human_ref)
    removeNotes.run(human_ref)
    endAnchor.run(erased_index, human_ref)
    removeReason.run(human_ref)
  }
}

export function trustReader(db: DatabaseSync, open: FieldOpener): TrustReader {
  const byId = db.prepare(BY_ID)
  const anchor = db.prepare(ANCHOR)
  const asked = db.prepare(ASKED_SCORES)
  const lastLeaf = db.prepare('SELECT log_index, leaf FROM leaves ORDER BY log_index DESC LIMIT 1')
  const leaves = db.prepare(TRUST_LEAVES)

  return {
    async vouch(vouch_id) {
      const row = byId.get(vouch_id)
      return row && vouchOf(row, open)
    },
    async vouches(filter, page) {
      const { sql, values } = vouchSearch(filter, page)
      const rows = db.prepare(`SELECT * FROM vouches ${sql}`).all(...(values as SQLInputValue[])) // strings and numbers
      return pageOf(rows, page.limit, (row) => vouchOf(row, open), 'log_index')
    },
    async anchors(filter, page) {
      const { sql, values } = anchorSearch(filter, page)
      const rows = db.prepare(`SELECT * FROM anchors ${sql}`).all(...(values as SQLInputValue[])) // strings and numbers
      return pageOf(rows, page.limit, (row) => anchorOf(row, open), 'log_index')
    },
    async anchor(human_ref) {
      const row = anchor.get(human_ref)
      return row && anchorOf(row, open)
    },
    async leaves(since, limit) {
      // The size is read first: leaves written meanwhile belong to the next page.
      const last = lastLeaf.get()
      const head = headOfLeaf(last)
      const rows = leaves.all(...trustLeafValues(since, head.log_size, limit))
      return { ...head, leaves: rows.map(storedLeafOf) }
    },
    askedScores: async (after, limit) => asked.all(after, limit).map(askedScoreOf),
  }
}
