import type { Habit, HabitKey, StoredApproval } from '../../domain/approval.ts'
import type { StoredDenial } from '../../domain/denial.ts'
import type { StoredRecord } from '../../domain/record.ts'
import { type HabitFilter, MOST_HABITS } from '../port.ts'
import { approvalOf, habitOf } from '../rows/approvals.ts'
import { denialOf } from '../rows/denials.ts'
import type { EntrySource } from '../rows/entries.ts'
import { RECORD_JOINED, recordOf } from '../rows/records.ts'
import { storedToken } from '../rows/tokens.ts'
import { tenantCondition } from '../searches.ts'
import { type Row, text } from '../values.ts'
import type { Vault } from '../vault.ts'
import type { Database } from './connect.ts'
import { rowsOf, type Statement } from './reading.ts'
import { openerOf, wrappedKeyOf } from './sealed-fields.ts'

/** Reads the entries of one table. */
export interface EntryTable<T> {
  readonly name: 'records' | 'denials' | 'approvals'
  /** Everything about the entries whose `log_index` a statement finds, in the order of the log. */
  read(database: Database, found: Statement): Promise<T[]>
  byId(database: Database, id: string): Promise<T | undefined>
}

export interface Entries {
  readonly records: EntryTable<StoredRecord>
  readonly denials: EntryTable<StoredDenial>
  readonly approvals: EntryTable<StoredApproval>
}

export function entryTables(vault: Vault): Entries {
  return {
    records: entryTable(vault, RECORDS, recordOf),
    denials: entryTable(vault, DENIALS, denialOf),
    approvals: entryTable(vault, APPROVALS, approvalOf),
  }
}

interface Columns {
  readonly name: EntryTable<unknown>['name']
  readonly id: string
  /** What is read beside the row itself, its token and its names. */
  readonly more: string
  readonly joins: string
}

const RECORDS: Columns = {
  name: 'records',
  id: 'aar_id',
  more: `${RECORD_JOINED}, result.name AS result, ${wrappedKeyOf('e.metadata', 'metadata')},
    ${wrappedKeyOf('rating.note', 'note')}`,
  joins: `JOIN leaves leaf ON leaf.log_index = e.log_index
    LEFT JOIN records parent ON parent.log_index = e.parent_index
    LEFT JOIN names result ON result.name_key = e.result_key
    LEFT JOIN ratings rating ON rating.record_index = e.log_index`,
}

const DENIALS: Columns = {
  name: 'denials',
  id: 'denial_id',
  more: 'leaf.leaf_hash',
  joins: 'JOIN leaves leaf ON leaf.log_index = e.log_index',
}

const APPROVALS: Columns = {
  name: 'approvals',
  id: 'approval_id',
  more: `${wrappedKeyOf('e.metadata', 'metadata')}, ${wrappedKeyOf('e.note', 'note')}`,
  joins: '',
}

function entryTable<T>(
  vault: Vault,
  { name, id, more, joins }: Columns,
  entryOf: (row: Row, source: EntrySource) => T,
): EntryTable<T> {
  const select = (found: string) => `
    SELECT e.*, action.name AS action, resource.name AS resource, t.claims, t.jwt_hash, t.issued_at_ms,
      t.log_index AS token_index, ${more}
    FROM (${found}) AS found JOIN ${name} e ON e.log_index = found.log_index
      JOIN tokens t ON t.token_key = e.token_key
      JOIN names action ON action.name_key = e.action_key
      JOIN names resource ON resource.name_key = e.resource_key
      ${joins}
    ORDER BY e.log_index`
  const entry = (row: Row) => entryOf(row, sourceOf(vault, row))

  return {
    name,
    read: async (database, { sql, values }) => (await rowsOf(database, select(sql), ...values)).map(entry),
    async byId(database, value) {
      const rows = await rowsOf(database, select(`SELECT log_index FROM ${name} WHERE ${id} = ?`), value)
      return rows.map(entry)[0]
    },
  }
}

function sourceOf(vault: Vault, row: Row): EntrySource {
  const token = storedToken({ ...row, log_index: row.token_index })
  return { token, name: (of) => text(row[of]), open: openerOf(vault, row, token.human_ref) }
}

/** Habits of an agent or for a person, the most used first. */
export async function habitsOf(database: Database, filter: HabitFilter): Promise<(HabitKey & Habit)[]> {
  const { agent_id, human_ref } = filter
  const ofTenant = tenantCondition('tenant_key', filter)
  const rows = await rowsOf(
    database,
    `SELECT h.*, agent_id, human_ref, action.name AS action, resource.name AS resource
    FROM approval_habits h JOIN agents a ON a.agent_key = h.agent_key JOIN humans p ON p.human_key = h.human_key
      JOIN names action ON action.name_key = h.action_key JOIN names resource ON resource.name_key = h.resource_key
    WHERE ${agent_id === undefined ? '?::text IS NULL' : 'agent_id = ?'}
      AND ${human_ref === undefined ? '?::text IS NULL' : 'human_ref = ?'}
      AND ${ofTenant.sql}
    ORDER BY auto_approvals DESC, approvals DESC, h.agent_key, h.human_key, action_key, resource_key
    LIMIT ${MOST_HABITS}`,
    agent_id ?? null,
    human_ref ?? null,
    ...ofTenant.values,
  )
  return rows.map((row) => ({
    agent_id: text(row.agent_id),
    human_ref: text(row.human_ref),
    action: text(row.action),
    resource: text(row.resource),
    ...habitOf(row),
  }))
}
