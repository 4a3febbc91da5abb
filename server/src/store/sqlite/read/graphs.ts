import type { DatabaseSync } from 'node:sqlite'
import type { StoredApproval } from '../../../domain/approvals/approval.ts'
import type { StoredDenial } from '../../../domain/denial.ts'
import type { StoredRecord } from '../../../domain/record.ts'
import { graphStretch } from '../../graph-stretch.ts'
import { EVERY_DENIAL, EVERY_RECORD } from '../../port/filters.ts'
import type { GraphExtra, GraphPage, GraphPosition, Lineage } from '../../port/workflow-reader.ts'
import type { Searches } from '../../searches.ts'
import { PAGE_WORK_MS } from '../../searches.ts'
import { integer, optionalInteger, text } from '../../values.ts'
import type { EntryTable } from './entries.ts'
import { atOnce } from './reading.ts'
import type { TokenReader } from './tokens.ts'
import type { UpwardPager } from './upward-pages.ts'

const TOKENS_AT_A_TIME = 2_000

/** Reads the graphs of workflows: their actions and tokens. */
export interface GraphReader {
  page(
    provenance_ref: string,
    limit: number,
    position: GraphPosition,
    extras: readonly GraphExtra[],
  ): GraphPage
  lineage(aar_id: string, most: { causes: number; effects: number }): Lineage | undefined
}

export interface GraphSources {
  readonly tokens: TokenReader
  readonly records: EntryTable<StoredRecord>
  readonly search: Searches
  readonly recordPages: UpwardPager<StoredRecord>
  readonly denialPages: UpwardPager<StoredDenial>
  readonly approvalPages: UpwardPager<StoredApproval>
}

export function graphReader(
  db: DatabaseSync,
  { tokens, records, search, recordPages, denialPages, approvalPages }: GraphSources,
): GraphReader {
  // Actions are counted at every token of a chain: if a token has none, neither it nor any descendant has acted.
  const tokensFrom = db.prepare(`
    SELECT t.token_key, t.jti, coalesce(s.actions, 0) = 0 AS is_idle
    FROM workflows w JOIN tokens t ON t.workflow_key = w.workflow_key
      LEFT JOIN token_states s ON s.token_key = t.token_key
    WHERE w.provenance_ref = ? AND t.token_key >= ? ORDER BY t.token_key LIMIT ${TOKENS_AT_A_TIME}`)
  const parentOf = db.prepare('SELECT parent_index FROM records WHERE log_index = ?')
  const effectsOf = db.prepare(
    'SELECT log_index FROM records WHERE parent_index = ? ORDER BY log_index LIMIT ?',
  )

  function idleTokens(provenance_ref: string, limit: number, tokens_from: number) {
    const started = performance.now()
    const jtis: string[] = []
    for (let from = tokens_from; ; ) {
      const rows = tokensFrom.all(provenance_ref, from)
      for (const row of rows) {
        from = integer(row.token_key)
        if (row.is_idle !== 1) continue
        if (jtis.length === limit) return { jtis, next: { tokens_from: from } }
        jtis.push(text(row.jti))
      }
      if (rows.length < TOKENS_AT_A_TIME) return { jtis, next: undefined }
      from += 1
      if (performance.now() - started > PAGE_WORK_MS) return { jtis, next: { tokens_from: from } }
    }
  }

  function pageAt(
    provenance_ref: string,
    limit: number,
    position: GraphPosition,
    extras: readonly GraphExtra[],
  ) {
    if ('tokens_from' in position) {
      const idle = idleTokens(provenance_ref, limit, position.tokens_from)
      return { records: [], denials: [], approvals: [], jtis: idle.jtis, next: idle.next }
    }
    const request = { limit, from: position.records_from, end: undefined }
    const denials = extras.includes('denials')
      ? search.denials({ ...EVERY_DENIAL, provenance_ref })
      : undefined
    const approvals = extras.includes('approvals')
      ? search.approvals({ ...EVERY_DENIAL, provenance_ref, state: undefined }, 0)
      : undefined
    const { from, jtis, ...entries } = graphStretch({
      records: recordPages(search.records({ ...EVERY_RECORD, provenance_ref }), request),
      denials: denialPages(denials, request),
      approvals: approvalPages(approvals, request),
    })
    if (from !== undefined) return { ...entries, jtis, next: { records_from: from } }
    const idle = idleTokens(provenance_ref, limit, 0)
    return { ...entries, jtis: [...new Set([...jtis, ...idle.jtis])], next: idle.next }
  }

  function causesOf(log_index: number, most: number): number[] {
    const causes: number[] = []
    for (let at: number | undefined = log_index; causes.length < most; ) {
      at = optionalInteger(parentOf.get(at)?.parent_index)
      if (at === undefined) break
      causes.push(at)
    }
    return causes
  }

  const readAll = (indexes: readonly number[]) => indexes.flatMap((at) => records.at(at) ?? [])

  return {
    page: (provenance_ref, limit, position, extras) =>
      atOnce(db, () => {
        const { jtis, ...page } = pageAt(provenance_ref, limit, position, extras)
        tokens.forgetStates()
        const chains = jtis.map((jti) => tokens.chain(jti)).filter((chain) => chain !== undefined)
        return { ...page, chains }
      }),
    lineage: (aar_id, most) =>
      atOnce(db, () => {
        const record = records.byId(aar_id)
        if (record === undefined) return undefined
        const causes = causesOf(record.log_index, most.causes + 1)
        const effects = effectsOf.all(record.log_index, most.effects + 1).map((row) => integer(row.log_index))
        return {
          record,
          causes: readAll(causes.slice(0, most.causes)),
          has_more_causes: causes.length > most.causes,
          effects: readAll(effects.slice(0, most.effects)),
          has_more_effects: effects.length > most.effects,
        }
      }),
  }
}
