import { changesStanding, changesTrust, type Leaf, standsAlone } from '../log/leaf.ts'
import type { StoreTables, TableRow } from '../store/port/store-tables.ts'
import { selectNamed } from './checked-columns.ts'
import { compareRow, type RowComparison } from './compare-row.ts'
import {
  boundClaims,
  boundInnerLimits,
  compareApproval,
  compareDenial,
  compareRating,
  compareRecord,
  compareToken,
} from './compared-rows.ts'
import { type Cursor, cursorOver } from './cursor.ts'
import type { Findings } from './findings.ts'
import type { LeafEntry } from './log.ts'
import type {
  ExpectedApproval,
  ExpectedDenial,
  ExpectedRating,
  ExpectedRecord,
  ExpectedToken,
  LeafEffects,
} from './replay/expected.ts'
import type { BoundTokenRow } from './replay/tokens.ts'

/** The store joins names and IDs, so that only rows that may still change are held in memory. */
const QUERIES = {
  tokens: `${selectNamed('tokens')} ORDER BY t.log_index, t.token_key`,
  records: `${selectNamed('records', {
    columns: 'p.aar_id AS parent_aar_id, p.token_key AS parent_token_key',
    joins: 'LEFT JOIN records p ON p.log_index = t.parent_index',
  })} ORDER BY t.log_index`,
  denials: `${selectNamed('denials')} ORDER BY t.log_index`,
  approvals: `${selectNamed('approvals')} ORDER BY t.log_index`,
  ratings: `${selectNamed('ratings', {
    columns: 'r.aar_id, r.token_key',
    joins: 'LEFT JOIN records r ON r.log_index = t.record_index',
  })} ORDER BY t.log_index, t.record_index`,
  standing_changes: 'SELECT log_index FROM standing_changes ORDER BY log_index',
  trust_changes: 'SELECT log_index FROM trust_changes ORDER BY log_index',
  workflow_leaves: `${selectNamed('workflow_leaves')} ORDER BY t.log_index, t.workflow_key`,
} as const

type LeafTable = keyof typeof QUERIES

export interface LeafRowsOptions extends RowComparison {
  readonly tables: StoreTables
}

/**
 * Compares every row that a leaf created with what that leaf and later ones imply. Rows and leaves have the same order.
 */
export interface LeafRows {
  /** What a token's row adds to its leaf. */
  tokenAt(entry: LeafEntry): Promise<BoundTokenRow | undefined>
  check(entry: LeafEntry, effects: LeafEffects): Promise<void>
  settle(effects: LeafEffects): void
  /** Compares the rows that are still open, and reports rows without a leaf. */
  end(): Promise<void>
}

export async function leafRows(options: LeafRowsOptions): Promise<LeafRows> {
  return new LeafRowsInStep(options, await openCursors(options.tables, options.findings))
}

class LeafRowsInStep implements LeafRows {
  readonly #options: LeafRowsOptions
  readonly #cursors: Cursors
  /** Rows that later leaves may still change. They are compared once they can no longer change. */
  readonly #openRecords = new Map<ExpectedRecord, TableRow>()
  readonly #openApprovals = new Map<ExpectedApproval, TableRow>()
  /** Token keys begin at 1. */
  readonly #tokensByKey: (ExpectedToken | undefined)[] = [undefined]
  #tokenRow: TableRow | undefined

  constructor(options: LeafRowsOptions, cursors: Cursors) {
    this.#options = options
    this.#cursors = cursors
  }

  async tokenAt({ leaf, log_index }: LeafEntry): Promise<BoundTokenRow | undefined> {
    const { findings, texts } = this.#options
    const row = await this.#take('tokens', log_index)
    this.#tokenRow = row
    if (row === undefined) return undefined
    return { claims: boundClaims(row, leaf, findings), inner_limits: boundInnerLimits(row, leaf, texts) }
  }

  async check({ log_index, leaf }: LeafEntry, effects: LeafEffects): Promise<void> {
    const { token, record, closed, denial, rating, approval } = effects
    if (token !== undefined) this.#checkToken(token)
    if (record !== undefined) await this.#hold('records', record, this.#openRecords)
    if (closed !== undefined) this.#closeRecord(closed)
    if (rating !== undefined) await this.#checkRating(rating)
    if (approval !== undefined) await this.#hold('approvals', approval, this.#openApprovals)
    if (changesStanding(leaf.type)) await this.#take('standing_changes', log_index)
    if (changesTrust(leaf.type, leaf)) await this.#take('trust_changes', log_index)
    if (standsAlone(leaf.type)) await this.#checkWorkflowLeaf(leaf, log_index)
    if (denial !== undefined) await this.#checkDenial(denial)
    this.settle(effects)
  }

  settle({ settled }: LeafEffects): void {
    for (const approval of settled) this.#settleApproval(approval)
  }

  async end(): Promise<void> {
    const { replay } = this.#options
    for (const record of replay.open_records.values()) this.#closeRecord(record)
    for (const approval of replay.approvals.values()) this.#settleApproval(approval)
    for (const cursor of Object.values(this.#cursors)) await cursor.end()
  }

  async #take(table: LeafTable, log_index: number): Promise<TableRow | undefined> {
    const row = await this.#cursors[table].take(log_index)
    if (row === undefined)
      this.#options.findings.add(table, log_index, `The ${table} row of leaf ${log_index} is missing.`)
    return row
  }

  async #hold<E extends { readonly log_index: number }>(
    table: LeafTable,
    expected: E,
    open: Map<E, TableRow>,
  ): Promise<void> {
    const row = await this.#take(table, expected.log_index)
    if (row !== undefined) open.set(expected, row)
  }

  #checkToken(expected: ExpectedToken): void {
    this.#tokensByKey.push(expected)
    if (this.#tokenRow !== undefined) compareToken(this.#tokenRow, expected, this.#options)
  }

  #closeRecord(expected: ExpectedRecord): void {
    const row = this.#openRecords.get(expected)
    this.#openRecords.delete(expected)
    if (row !== undefined) compareRecord(row, expected, this.#tokensByKey, this.#options)
  }

  #settleApproval(expected: ExpectedApproval): void {
    const row = this.#openApprovals.get(expected)
    this.#openApprovals.delete(expected)
    if (row !== undefined) compareApproval(row, expected, this.#options)
  }

  async #checkRating(expected: ExpectedRating): Promise<void> {
    const row = await this.#take('ratings', expected.log_index)
    if (row === undefined) return
    compareRating(row, expected, this.#tokensByKey[Number(row.token_key)], this.#options)
  }

  async #checkDenial(expected: ExpectedDenial): Promise<void> {
    const row = await this.#take('denials', expected.log_index)
    if (row !== undefined) compareDenial(row, expected, this.#options)
  }

  async #checkWorkflowLeaf({ provenance_ref, token }: Leaf, log_index: number): Promise<void> {
    const row = await this.#take('workflow_leaves', log_index)
    if (row === undefined) return
    const about = typeof token === 'string' ? this.#options.replay.tokens.get(token) : undefined
    const values = { provenance_ref: String(provenance_ref), token_key: about?.token_key ?? null }
    compareRow('workflow_leaves', log_index, row, { values, sealed: {} }, this.#options)
  }
}

type Cursors = Readonly<Record<LeafTable, Cursor>>

async function openCursors(tables: StoreTables, findings: Findings): Promise<Cursors> {
  const open = (table: LeafTable) =>
    cursorOver(tables.rows(QUERIES[table]), 'log_index', ({ log_index }) =>
      findings.add(table, String(log_index), `No leaf accounts for the ${table} row at ${log_index}.`),
    )
  return {
    tokens: await open('tokens'),
    records: await open('records'),
    denials: await open('denials'),
    approvals: await open('approvals'),
    ratings: await open('ratings'),
    standing_changes: await open('standing_changes'),
    trust_changes: await open('trust_changes'),
    workflow_leaves: await open('workflow_leaves'),
  }
}
