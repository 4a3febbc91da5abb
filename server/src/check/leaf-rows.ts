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
import type { Entry } from './log.ts'
import type { Telling, ToldApproval, ToldRating, ToldRecord, ToldToken } from './replay/expected.ts'

/** Names and ids are looked up by the store, so that nothing but open rows is held here. */
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

type MadeTable = keyof typeof QUERIES

export interface MadeRowsOptions extends RowComparison {
  readonly tables: StoreTables
}

/** Compares every row that a leaf made with what the leaf, and those after it, told. Rows and leaves are in one order. */
export interface MadeRows {
  /** The claims that the leaf of a token names by their hash, if they are there. */
  claimsAt(entry: Entry): Promise<Claims | undefined>
  check(entry: Entry, telling: Telling): Promise<void>
  settle(telling: Telling): void
  /** Compares what never came to an end, and reports rows that no leaf made. */
  end(): Promise<void>
}

export async function madeRows(options: MadeRowsOptions): Promise<MadeRows> {
  const { tables, findings, story } = options
  const cursors = await openCursors(tables, findings)
  const heldRecords = new Map<ToldRecord, TableRow>()
  const heldApprovals = new Map<ToldApproval, TableRow>()
  const tokensByKey: (ToldToken | undefined)[] = [undefined]
  let tokenRow: TableRow | undefined

  async function take(table: MadeTable, log_index: number): Promise<TableRow | undefined> {
    const row = await cursors[table].take(log_index)
    if (row === undefined)
      findings.add(table, log_index, `The row of ${table} that leaf ${log_index} tells of is missing.`)
    return row
  }

  function checkToken(told: ToldToken): void {
    tokensByKey.push(told)
    if (tokenRow !== undefined) compareToken(tokenRow, told, options)
  }

  async function checkRecord(told: ToldRecord): Promise<void> {
    const row = await take('records', told.log_index)
    if (row !== undefined) heldRecords.set(told, row)
  }

  function closeRecord(told: ToldRecord): void {
    const row = heldRecords.get(told)
    heldRecords.delete(told)
    if (row === undefined) return
    compareRecord(row, told, tokensByKey, options)
  }

  async function checkRating(told: ToldRating): Promise<void> {
    const row = await take('ratings', told.log_index)
    if (row !== undefined) compareRating(row, told, tokensByKey[Number(row.token_key)], options)
  }

  async function checkApproval(told: ToldApproval): Promise<void> {
    const row = await take('approvals', told.log_index)
    if (row !== undefined) heldApprovals.set(told, row)
  }

  function settleApproval(told: ToldApproval): void {
    const row = heldApprovals.get(told)
    heldApprovals.delete(told)
    if (row !== undefined) compareApproval(row, told, options)
  }

  const settle = ({ settled }: Telling) => settled.forEach(settleApproval)

  return {
    settle,
    async claimsAt({ leaf, log_index }) {
      tokenRow = await take('tokens', log_index)
      return tokenRow === undefined ? undefined : boundClaims(tokenRow, leaf, findings)
    },
    async check({ log_index, leaf }, telling) {
      const { token, record, closed, denial, rating, approval } = telling
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
      settle(telling)
    },
    async end() {
      for (const record of story.open_records.values()) closeRecord(record)
      for (const approval of story.approvals.values()) settleApproval(approval)
      for (const cursor of Object.values(cursors)) await cursor.end()
    },
  }
}

async function openCursors(
  tables: StoreTables,
  findings: Findings,
): Promise<Readonly<Record<MadeTable, Cursor>>> {
  const open = (table: MadeTable) =>
    cursorOver(tables.rows(QUERIES[table]), 'log_index', ({ log_index }) =>
      findings.add(
        table,
        String(log_index),
        `The row of ${table} at ${log_index} is one that no leaf tells of.`,
      ),
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
