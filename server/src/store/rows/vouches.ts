import type { AskedScore, StoredAnchor, StoredVouch } from '../../domain/vouch.ts'
import type { TenantFilter, VouchFilter } from '../port/filters.ts'
import type { StoredLeaf } from '../port/log-reader.ts'
import type { PageRequest } from '../port/pages.ts'
import { rowReader } from '../row-reader.ts'
import type { RowOf } from '../tables.ts'
import { integer, type Row, text } from '../values.ts'
import type { Place } from '../vault.ts'
import { type RowKeys, sealedText } from './row-keys.ts'
import type { Opened } from './sealed-fields.ts'

const readVouch = rowReader('vouches')
const readAnchor = rowReader('anchors')
const readScore = rowReader('vouch_scores')

/** The columns of a vouch that can change after it is made. */
export const CHANGED_VOUCH_COLUMNS = [
  'weight',
  'expires_at_ms',
  'changed_index',
  'ended_at_ms',
  'ended_index',
] as const satisfies readonly (keyof RowOf<'vouches'>)[]

export const SCORE_COLUMNS = ['score', 'log_size'] as const satisfies readonly (keyof RowOf<'vouch_scores'>)[]

type Open = (sealed: unknown, place: Place) => Opened

/** Opens nothing, for the clerk, which never shows a note. */
export const LEFT_SEALED: Open = () => ({ text: undefined, erased: false })

export function vouchOf(row: Row, open: Open): StoredVouch {
  const {
    vouch_id,
    from_ref,
    to_ref,
    context,
    expires_at_ms,
    changed_index,
    ended_at_ms,
    ended_index,
    ...rest
  } = readVouch(row)
  const { text: note, erased } = open(row.note, { kind: 'vouch.note', row: vouch_id })
  return {
    vouch_id,
    tenant_id: rest.tenant_id,
    from: from_ref,
    to: to_ref,
    context: context ?? undefined,
    note,
    erased,
    made_at_ms: rest.made_at_ms,
    log_index: rest.log_index,
    weight: rest.weight,
    expires_at_ms: expires_at_ms ?? undefined,
    changed_index: changed_index ?? undefined,
    ended_at_ms: ended_at_ms ?? undefined,
    ended_index: ended_index ?? undefined,
  }
}

export function vouchRow(vouch: StoredVouch, keys: Pick<RowKeys, 'seal'>): RowOf<'vouches'> {
  const { vouch_id, from, to, note, context = null } = vouch
  const { expires_at_ms = null, changed_index = null, ended_at_ms = null, ended_index = null } = vouch
  return {
    log_index: vouch.log_index,
    vouch_id,
    tenant_id: vouch.tenant_id,
    from_ref: from,
    to_ref: to,
    context,
    weight: vouch.weight,
    note: sealedText(keys, from, { kind: 'vouch.note', row: vouch_id }, note),
    made_at_ms: vouch.made_at_ms,
    expires_at_ms,
    changed_index,
    ended_at_ms,
    ended_index,
  }
}

export function anchorOf(row: Row, open: Open): StoredAnchor {
  const { human_ref, tenant_id, base, named_at_ms, log_index, removed_index } = readAnchor(row)
  const { text: reason } = open(row.reason, { kind: 'anchor.reason', row: human_ref })
  return {
    human_ref,
    tenant_id,
    base,
    reason,
    named_at_ms,
    log_index,
    removed_index: removed_index ?? undefined,
  }
}

export function anchorRow(anchor: StoredAnchor, keys: Pick<RowKeys, 'seal'>): RowOf<'anchors'> {
  const { human_ref, tenant_id, base, reason, named_at_ms, log_index, removed_index = null } = anchor
  return {
    human_ref,
    tenant_id,
    base,
    reason: sealedText(keys, human_ref, { kind: 'anchor.reason', row: human_ref }, reason),
    named_at_ms,
    log_index,
    removed_index,
  }
}

export function askedScoreOf(row: Row): AskedScore {
  const { agent_id, asked_index, score, log_size } = readScore(row)
  const isKept = score !== null && log_size !== null
  return { agent_id, asked_index, kept: isKept ? { score, log_size } : undefined }
}

export function scoreRow({ agent_id, asked_index, kept }: AskedScore): RowOf<'vouch_scores'> {
  return { agent_id, asked_index, score: kept?.score ?? null, log_size: kept?.log_size ?? null }
}

/** Selects the vouches of a page, newest first, and one more to see whether another page follows. */
export function vouchSearch(
  { tenant_id, from, to, context, standing_at_ms }: VouchFilter,
  { limit, before }: PageRequest,
) {
  const conditions: [string, unknown][] = [
    ['log_index < ?', before ?? Number.MAX_SAFE_INTEGER],
    ...(tenant_id === undefined ? [] : [['tenant_id = ?', tenant_id] as [string, unknown]]),
    ...(from === undefined ? [] : [['from_ref = ?', from] as [string, unknown]]),
    ...(to === undefined ? [] : [['to_ref = ?', to] as [string, unknown]]),
    ...(context === undefined ? [] : [['context = ?', context] as [string, unknown]]),
    ...(standing_at_ms === undefined
      ? []
      : [
          ['ended_index IS NULL AND (expires_at_ms IS NULL OR expires_at_ms > ?)', standing_at_ms] as [
            string,
            unknown,
          ],
        ]),
  ]
  return pageSearch(conditions, limit)
}

export function anchorSearch({ tenant_id }: TenantFilter, { limit, before }: PageRequest) {
  return pageSearch(
    [
      ['removed_index IS NULL AND log_index < ?', before ?? Number.MAX_SAFE_INTEGER],
      ...(tenant_id === undefined ? [] : [['tenant_id = ?', tenant_id] as [string, unknown]]),
    ],
    limit,
  )
}

function pageSearch(conditions: readonly (readonly [sql: string, value: unknown])[], limit: number) {
  return {
    sql: `WHERE ${conditions.map(([sql]) => sql).join(' AND ')} ORDER BY log_index DESC LIMIT ?`,
    values: [...conditions.map(([, value]) => value), limit + 1],
  }
}

export const COUNT_VOUCHES = `SELECT count(*) AS count FROM (
  SELECT 1 FROM vouches WHERE from_ref = ? AND ended_index IS NULL AND (expires_at_ms IS NULL OR expires_at_ms > ?)
  LIMIT ?) AS standing`
export const IN_TRUST_GRAPH = `
  SELECT 1 AS found WHERE EXISTS (SELECT 1 FROM vouches WHERE from_ref = ? AND ended_index IS NULL)
    OR EXISTS (SELECT 1 FROM vouches WHERE to_ref = ? AND ended_index IS NULL)
    OR EXISTS (SELECT 1 FROM anchors WHERE human_ref = ? AND removed_index IS NULL AND base > 0)`
export const ASKED_SCORES = 'SELECT * FROM vouch_scores WHERE agent_id > ? ORDER BY agent_id LIMIT ?'

/**
 * Ends the vouches from and to an erased person, and their anchor, and removes the notes about them. An anchor with
 * base 0 stays, without its reason; otherwise people could undo it by erasing themselves and signing in again.
 */
export const END_VOUCHES_FROM =
  'UPDATE vouches SET ended_at_ms = ?, ended_index = ? WHERE from_ref = ? AND ended_index IS NULL'
export const END_VOUCHES_TO =
  'UPDATE vouches SET ended_at_ms = ?, ended_index = ? WHERE to_ref = ? AND ended_index IS NULL'
export const REMOVE_NOTES = 'UPDATE vouches SET note = NULL WHERE to_ref = ? AND note IS NOT NULL'
export const END_ANCHOR =
  'UPDATE anchors SET removed_index = ? WHERE human_ref = ? AND removed_index IS NULL AND base > 0'
export const REMOVE_REASON = 'UPDATE anchors SET reason = NULL WHERE human_ref = ? AND reason IS NOT NULL'

/** Leaves that change the trust graph: those that no other table leads to, ratings, and root tokens above L1. */
export const TRUST_LEAVES = `
  SELECT l.log_index, l.leaf FROM (
    SELECT log_index FROM (SELECT log_index FROM trust_changes
      WHERE log_index >= ? AND log_index < ? ORDER BY log_index LIMIT ?) AS changes
    UNION ALL SELECT log_index FROM (SELECT log_index FROM ratings
      WHERE log_index >= ? AND log_index < ? ORDER BY log_index LIMIT ?) AS rated
    UNION ALL SELECT log_index FROM (SELECT log_index FROM tokens
      WHERE level > 1 AND parent_key IS NULL AND log_index >= ? AND log_index < ? ORDER BY log_index LIMIT ?) AS issued
  ) AS found JOIN leaves l ON l.log_index = found.log_index ORDER BY l.log_index LIMIT ?`

export function trustLeafValues(since: number, end: number, limit: number): number[] {
  return [since, end, limit, since, end, limit, since, end, limit, limit]
}

/** Returns the log's size and the time of its newest leaf, from that leaf's row. */
export function headOfLeaf(row: Row | undefined) {
  if (row === undefined) return { log_size: 0, last_ms: 0 }
  const { at }: { at: string } = JSON.parse(text(row.leaf))
  return { log_size: integer(row.log_index) + 1, last_ms: Date.parse(at) }
}

export function storedLeafOf(row: Row): StoredLeaf {
  return { log_index: integer(row.log_index), text: text(row.leaf) }
}
