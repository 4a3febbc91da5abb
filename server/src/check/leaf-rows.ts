import type { Claims } from '@deputize/protocol'
import { changesStanding, standsAlone } from '../log/leaf.ts'
import type { StoreTables, TableRow } from '../store/port.ts'
import {
  boundClaims,
  compareApproval,
  compareDenial,
  compareRating,
  compareRecord,
  compareToken,
  type RowComparison,
} from './compared-rows.ts'
import { type Cursor, cursorOver } from './cursor.ts'
import { compareColumns, type Findings } from './findings.ts'
import type { LogEntry } from './log.ts'
import type {
  ExpectedApproval,
  ExpectedRating,
  ExpectedRecord,
  ExpectedToken,
  LeafEffects,
} from './replay/expected.ts'

/** The store joins names and IDs, so that only rows which may still change are held in memory. */
const QUERIES = {
  tokens: `
    SELECT t.*, a.agent_id, h.human_ref, w.provenance_ref, n.name AS tenant_id FROM tokens t
    LEFT JOIN agents a ON a.agent_key = t.agent_key LEFT JOIN humans h ON h.human_key = t.human_key
    LEFT JOIN workflows w ON w.workflow_key = t.workflow_key LEFT JOIN names n ON n.name_key = t.tenant_key
    ORDER BY t.log_index, t.token_key`,
  records: `
    SELECT r.*, a.name AS action, b.name AS resource, c.name AS result, p.aar_id AS parent_aar_id,
      p.token_key AS parent_token_key
    FROM records r LEFT JOIN names a ON a.name_key = r.action_key LEFT JOIN names b ON b.name_key = r.resource_key
    LEFT JOIN names c ON c.name_key = r.result_key LEFT JOIN records p ON p.log_index = r.parent_index
    ORDER BY r.log_index`,
  denials: `
    SELECT d.*, a.name AS action, b.name AS resource FROM denials d
    LEFT JOIN names a ON a.name_key = d.action_key LEFT JOIN names b ON b.name_key = d.resource_key
    ORDER BY d.log_index`,
  approvals: `
    SELECT q.*, a.name AS action, b.name AS resource FROM approvals q
    LEFT JOIN names a ON a.name_key = q.action_key LEFT JOIN names b ON b.name_key = q.resource_key
    ORDER BY q.log_index`,
  ratings: `
    SELECT e.*, r.aar_id, r.token_key FROM ratings e LEFT JOIN records r ON r.log_index = e.record_index
    ORDER BY e.log_index, e.record_index`,
  standing_changes: 'SELECT log_index FROM standing_changes ORDER BY log_index',
  workflow_leaves: `
    SELECT l.log_index, w.provenance_ref FROM workflow_leaves l
    LEFT JOIN workflows w ON w.workflow_key = l.workflow_key ORDER BY l.log_index, l.workflow_key`,
} as const

type LeafTable = keyof typeof QUERIES

export interface LeafRowsOptions extends RowComparison {
  readonly tables: StoreTables
}

/** Compares every row that a leaf created with what this leaf and later ones imply. Rows and leaves have the same order. */
export interface LeafRows {
  /** The stored claims of a token, if their hash matches the leaf. */
  claimsAt(entry: LogEntry): Promise<Claims | undefined>
  check(entry: LogEntry, effects: LeafEffects): Promise<void>
  settle(effects: LeafEffects): void
  /** Compares the rows that are still open, and reports rows without a leaf. */
  end(): Promise<void>
}

export async function leafRows(options: LeafRowsOptions): Promise<LeafRows> {
  const { tables, findings, replay } = options
  const cursors = await openCursors(tables, findings)
  const heldRecords = new Map<ExpectedRecord, TableRow>()
  const heldApprovals = new Map<ExpectedApproval, TableRow>()
  const tokensByKey: (ExpectedToken | undefined)[] = [undefined]
  let tokenRow: TableRow | undefined

  async function take(table: LeafTable, log_index: number): Promise<TableRow | undefined> {
    const row = await cursors[table].take(log_index)
    if (row === undefined) findings.add(table, log_index, `The ${table} row of leaf ${log_index} is missing.`)
    return row
  }

  function checkToken(expected: ExpectedToken): void {
    tokensByKey.push(expected)
    if (tokenRow !== undefined) compareToken(tokenRow, expected, options)
  }

  async function checkRecord(expected: ExpectedRecord): Promise<void> {
    const row = await take('records', expected.log_index)
    if (row !== undefined) heldRecords.set(expected, row)
  }

  function closeRecord(expected: ExpectedRecord): void {
    const row = heldRecords.get(expected)
    heldRecords.delete(expected)
    if (row === undefined) return
    compareRecord(row, expected, tokensByKey, options)
  }

  async function checkRating(expected: ExpectedRating): Promise<void> {
    const row = await take('ratings', expected.log_index)
    if (row !== undefined) compareRating(row, expected, tokensByKey[Number(row.token_key)], options)
  }

  async function checkApproval(expected: ExpectedApproval): Promise<void> {
    const row = await take('approvals', expected.log_index)
    if (row !== undefined) heldApprovals.set(expected, row)
  }

  function settleApproval(expected: ExpectedApproval): void {
    const row = heldApprovals.get(expected)
    heldApprovals.delete(expected)
    if (row !== undefined) compareApproval(row, expected, options)
  }

  const settle = ({ settled }: LeafEffects) => settled.forEach(settleApproval)

  return {
    settle,
    async claimsAt({ leaf, log_index }) {
      tokenRow = await take('tokens', log_index)
      return tokenRow === undefined ? undefined : boundClaims(tokenRow, leaf, findings)
    },
    async check({ log_index, leaf }, effects) {
      const { token, record, closed, denial, rating, approval } = effects
      if (token !== undefined) checkToken(token)
      if (record !== undefined) await checkRecord(record)
      if (closed !== undefined) closeRecord(closed)
      if (rating !== undefined) await checkRating(rating)
      if (approval !== undefined) await checkApproval(approval)
      if (changesStanding(leaf.type)) await take('standing_changes', log_index)
      if (standsAlone(leaf.type)) {
        const row = await take('workflow_leaves', log_index)
        if (row !== undefined)
          compareColumns(findings, 'workflow_leaves', log_index, row, { provenance_ref: leaf.provenance_ref })
      }
      if (denial !== undefined) {
        const row = await take('denials', log_index)
        if (row !== undefined) compareDenial(row, denial, options)
      }
      settle(effects)
    },
    async end() {
      for (const record of replay.open_records.values()) closeRecord(record)
      for (const approval of replay.approvals.values()) settleApproval(approval)
      for (const cursor of Object.values(cursors)) await cursor.end()
    },
  }
}

async function openCursors(
  tables: StoreTables,
  findings: Findings,
): Promise<Readonly<Record<LeafTable, Cursor>>> {
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
    workflow_leaves: await open('workflow_leaves'),
  }
}
