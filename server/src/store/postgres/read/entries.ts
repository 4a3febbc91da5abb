import type { StoredApproval } from '../../../domain/approvals/approval.ts'
import type { StoredDenial } from '../../../domain/denial.ts'
import type { StoredRecord } from '../../../domain/record.ts'
import { approvalJoined, approvalOf } from '../../rows/approvals.ts'
import { denialOf } from '../../rows/denials.ts'
import type { EntrySource } from '../../rows/entries.ts'
import { RECORD_JOINED, recordOf } from '../../rows/records.ts'
import { storedToken } from '../../rows/tokens.ts'
import { columnsIn } from '../../tables.ts'
import { type Row, text } from '../../values.ts'
import type { Vault } from '../../vault.ts'
import type { Database } from '../connect.ts'
import { keyedRead, rowsOf, type Statement } from './reading.ts'
import { openerOf, wrappedKeyOf } from './sealed-fields.ts'

/** Reads the entries of one table. */
export interface EntryTable<T> {
  readonly name: 'records' | 'denials' | 'approvals'
  /** Reads the entries whose `log_index` a statement finds, in log order. */
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
  /** Columns that are read in addition to the row itself, its token and its names. */
  readonly joined: string
  readonly joins: string
}

const RECORDS: Columns = {
  name: 'records',
  id: 'aar_id',
  joined: `${RECORD_JOINED}, result.name AS result, ${wrappedKeyOf('e.metadata', 'metadata')},
    ${wrappedKeyOf('rating.note', 'note')}`,
  joins: `JOIN leaves leaf ON leaf.log_index = e.log_index
    LEFT JOIN records parent ON parent.log_index = e.parent_index
    LEFT JOIN names result ON result.name_key = e.result_key
    LEFT JOIN ratings rating ON rating.record_index = e.log_index`,
}

const DENIALS: Columns = {
  name: 'denials',
  id: 'denial_id',
  joined: 'leaf.leaf_hash',
  joins: 'JOIN leaves leaf ON leaf.log_index = e.log_index',
}

const APPROVALS: Columns = {
  name: 'approvals',
  id: 'approval_id',
  joined: `${approvalJoined('e')}, ${wrappedKeyOf('e.metadata', 'metadata')}, ${wrappedKeyOf('e.note', 'note')}`,
  joins: '',
}

function entryTable<T>(
  vault: Vault,
  { name, id, joined, joins }: Columns,
  entryOf: (row: Row, source: EntrySource) => T,
): EntryTable<T> {
  const columns = columnsIn(name, 'postgres').map((column) => `e.${column}`)
  const select = (found: string) => `
    SELECT ${columns.join(', ')}, action.name AS action, resource.name AS resource, t.claims, t.jwt_hash, t.issued_at_ms,
      t.log_index AS token_index, ${joined}
    FROM (${found}) AS found JOIN ${name} e ON e.log_index = found.log_index
      JOIN tokens t ON t.token_key = e.token_key
      JOIN names action ON action.name_key = e.action_key
      JOIN names resource ON resource.name_key = e.resource_key
      ${joins}
    ORDER BY e.log_index`
  const ofId = keyedRead(`${name}_by_id`, select(`SELECT log_index FROM ${name} WHERE ${id} = ?`))
  const entry = (row: Row) => entryOf(row, sourceOf(vault, row))

  return {
    name,
    read: async (database, { sql, values }) => (await rowsOf(database, select(sql), ...values)).map(entry),
    async byId(database, value) {
      const [row] = await ofId(database, value)
      return row && entry(row)
    },
  }
}

function sourceOf(vault: Vault, row: Row): EntrySource {
  const token = storedToken({ ...row, log_index: row.token_index })
  return { token, name: (of) => text(row[of]), open: openerOf(vault, row, token.human_ref) }
}
