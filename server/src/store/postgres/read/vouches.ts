import { MOST_VOUCHES, type StoredVouch } from '../../../domain/vouch.ts'
import type { TrustReader } from '../../port/trust-reader.ts'
import type { OpenVouches } from '../../port/write-store.ts'
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
import { integer, type Row, text } from '../../values.ts'
import type { Place, Vault } from '../../vault.ts'
import type { Database } from '../connect.ts'
import { type FactLoader, oneByOne } from '../write/fact-source.ts'
import { rowsOf } from './reading.ts'
import { openerOf, wrappedKeyOf } from './sealed-fields.ts'

const SCORE = 'SELECT * FROM vouch_scores WHERE agent_id = ?'
const LAST_LEAF = 'SELECT log_index, leaf FROM leaves ORDER BY log_index DESC LIMIT 1'

const OPEN_VOUCHES = `
  SELECT asked.name, v.* FROM unnest($1::text[], $2::text[], $3::text[]) AS asked (name, from_ref, to_ref)
  JOIN vouches v ON v.from_ref = asked.from_ref AND v.to_ref = coalesce(asked.to_ref, v.to_ref)
    AND v.ended_index IS NULL`

const openVouches: FactLoader<OpenVouches, StoredVouch[]> = async ({ database }, asked, answers) => {
  const keys = [...asked.values()]
  const values = [[...asked.keys()], keys.map(({ from }) => from), keys.map(({ to = null }) => to)]
  const { rows } = await database.query(OPEN_VOUCHES, values)
  for (const name of asked.keys())
    answers.set(
      name,
      rows.filter((row) => row.name === name).map((row) => vouchOf(row, LEFT_SEALED)),
    )
}

const ACTED_FOR = `
  SELECT asked.name FROM unnest($1::text[], $2::text[], $3::text[]) AS asked (name, agent_id, human_ref)
  JOIN agents a ON a.agent_id = asked.agent_id JOIN humans h ON h.human_ref = asked.human_ref
  WHERE EXISTS (SELECT 1 FROM tokens t WHERE t.human_key = h.human_key AND t.agent_key = a.agent_key)`

const actedFor: FactLoader<{ readonly agent_id: string; readonly human_ref: string }, boolean> = async (
  { database },
  asked,
  answers,
) => {
  const keys = [...asked.values()]
  const values = [
    [...asked.keys()],
    keys.map(({ agent_id }) => agent_id),
    keys.map(({ human_ref }) => human_ref),
  ]
  const { rows } = await database.query(ACTED_FOR, values)
  const found = new Set(rows.map(({ name }) => text(name)))
  for (const name of asked.keys()) answers.set(name, found.has(name))
}

/** The facts about vouches, anchors and scores that a batch's judges ask for. */
export const TRUST_FACTS = {
  vouches: oneByOne(async ({ database }, vouch_id: string) => {
    const [row] = await rowsOf(database, 'SELECT * FROM vouches WHERE vouch_id = ?', vouch_id)
    return row && vouchOf(row, LEFT_SEALED)
  }),
  open_vouches: openVouches,
  vouch_counts: oneByOne(async ({ database, now_ms }, from: string) => {
    const [row] = await rowsOf(database, COUNT_VOUCHES, from, now_ms, MOST_VOUCHES + 1)
    return integer(row?.count)
  }),
  acted_for: actedFor,
  in_trust_graph: oneByOne(async ({ database }, human_ref: string) => {
    const rows = await rowsOf(database, IN_TRUST_GRAPH, human_ref, human_ref, human_ref)
    return rows.length > 0
  }),
  anchors: oneByOne(async ({ database }, human_ref: string) => {
    const [row] = await rowsOf(database, 'SELECT * FROM anchors WHERE human_ref = ?', human_ref)
    return row && anchorOf(row, LEFT_SEALED)
  }),
  asked_scores: oneByOne(async ({ database }, agent_id: string) => {
    const [row] = await rowsOf(database, SCORE, agent_id)
    return row && askedScoreOf(row)
  }),
}

/** The columns that each table's upsert replaces. */
export const KEEP_VOUCH = `ON CONFLICT (log_index) DO UPDATE SET ${replaced(CHANGED_VOUCH_COLUMNS)}`
export const KEEP_ANCHOR = `ON CONFLICT (human_ref) DO UPDATE SET ${replaced(columnsBesideKey('anchors'))}`
export const KEEP_SCORE = `ON CONFLICT (agent_id) DO UPDATE SET ${replaced(SCORE_COLUMNS)}`

/** Returns the statements that remove an erased person from the trust graph. */
export function trustErasure(human_ref: string, erased_index: number, now_ms: number) {
  return [
    { sql: numbered(END_VOUCHES_FROM), values: [now_ms, erased_index, human_ref] },
    { sql: numbered(END_VOUCHES_TO), values: [now_ms, erased_index, human_ref] },
    { sql: numbered(REMOVE_NOTES), values: [human_ref] },
    { sql: numbered(END_ANCHOR), values: [erased_index, human_ref] },
    { sql: numbered(REMOVE_REASON), values: [human_ref] },
  ]
}

/** Turns question marks into PostgreSQL's numbered parameters. */
function numbered(sql: string): string {
  let number = 0
  return sql.replaceAll('?', () => {
    number += 1
    return `$${number}`
  })
}

const VOUCHES = `SELECT *, ${wrappedKeyOf('note', 'note')} FROM vouches`
const ANCHORS = `SELECT *, ${wrappedKeyOf('reason', 'reason')} FROM anchors`

export function trustReader(database: Database, vault: Vault): TrustReader {
  function storedVouch(row: Row) {
    const open = openerOf(vault, row, text(row.from_ref))
    return vouchOf(row, (_, place: Place) => open('note', place))
  }
  function storedAnchor(row: Row) {
    const open = openerOf(vault, row, text(row.human_ref))
    return anchorOf(row, (_, place: Place) => open('reason', place))
  }

  return {
    async vouch(vouch_id) {
      const [row] = await rowsOf(database, `${VOUCHES} WHERE vouch_id = ?`, vouch_id)
      return row && storedVouch(row)
    },
    async vouches(filter, page) {
      const { sql, values } = vouchSearch(filter, page)
      const rows = await rowsOf(database, `${VOUCHES} ${sql}`, ...values)
      return pageOf(rows, page.limit, storedVouch, 'log_index')
    },
    async anchors(filter, page) {
      const { sql, values } = anchorSearch(filter, page)
      const rows = await rowsOf(database, `${ANCHORS} ${sql}`, ...values)
      return pageOf(rows, page.limit, storedAnchor, 'log_index')
    },
    async anchor(human_ref) {
      const [row] = await rowsOf(database, `${ANCHORS} WHERE human_ref = ?`, human_ref)
      return row && storedAnchor(row)
    },
    async leaves(since, limit) {
      // The size is read first: leaves written meanwhile belong to the next page.
      const [last] = await rowsOf(database, LAST_LEAF)
      const head = headOfLeaf(last)
      const rows = await rowsOf(database, TRUST_LEAVES, ...trustLeafValues(since, head.log_size, limit))
      return { ...head, leaves: rows.map(storedLeafOf) }
    },
    askedScores: async (after, limit) =>
      (await rowsOf(database, ASKED_SCORES, after, limit)).map(askedScoreOf),
  }
}
