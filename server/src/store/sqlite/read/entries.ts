import type { DatabaseSync } from 'node:sqlite'
import type { BranchDenial, Denials, StoredApproval } from '../../../domain/approvals/approval.ts'
import type { StoredDenial } from '../../../domain/denial.ts'
import type { StoredRecord } from '../../../domain/record.ts'
import type { ApprovalOwner } from '../../port/write-store.ts'
import { countOfOpenApprovals } from '../../revoked-chains.ts'
import { approvalJoined, approvalOf, branchDenialOf, deniedInARow } from '../../rows/approvals.ts'
import { denialOf } from '../../rows/denials.ts'
import type { EntrySource } from '../../rows/entries.ts'
import { RECORD_JOINED, recordOf } from '../../rows/records.ts'
import { integer, type Row } from '../../values.ts'
import type { NameReader } from './names.ts'
import type { FieldOpener } from './sealed-fields.ts'
import type { TokenReader } from './tokens.ts'

/** Reads the entries of one table. */
export interface EntryTable<T> {
  readonly name: 'records' | 'denials' | 'approvals'
  byId(id: string): T | undefined
  at(log_index: number): T | undefined
}

export interface Entries {
  readonly records: EntryTable<StoredRecord>
  readonly denials: EntryTable<StoredDenial>
  readonly approvals: EntryTable<StoredApproval> & {
    /** The undecided approval with this binding. */
    open(binding: string): StoredApproval | undefined
    /** Undecided approvals that can still be approved. */
    countOpen(owner: ApprovalOwner, now_ms: number): number
    /** The denied approvals with this binding. */
    denials(binding: string): Denials
    /** The denied approvals below a root token since a person last approved one. */
    denialsInARow(root_jti: string): BranchDenial[]
  }
}

interface Columns {
  readonly name: EntryTable<unknown>['name']
  readonly id: string
  /** Columns that are read in addition to the row itself. */
  readonly joined: string
  readonly joins: string
}

const RECORDS: Columns = {
  name: 'records',
  id: 'aar_id',
  joined: `, ${RECORD_JOINED}`,
  joins: `JOIN leaves leaf ON leaf.log_index = e.log_index
    LEFT JOIN records parent ON parent.log_index = e.parent_index
    LEFT JOIN ratings rating ON rating.record_index = e.log_index`,
}

const DENIALS: Columns = {
  name: 'denials',
  id: 'denial_id',
  joined: ', leaf.leaf_hash',
  joins: 'JOIN leaves leaf ON leaf.log_index = e.log_index',
}

const APPROVALS: Columns = {
  name: 'approvals',
  id: 'approval_id',
  joined: `, ${approvalJoined('e')}`,
  joins: '',
}

export function entryTables(
  db: DatabaseSync,
  tokens: TokenReader,
  names: NameReader,
  open: FieldOpener,
): Entries {
  const sourceOf = (row: Row): EntrySource => ({
    token: tokens.byKey(integer(row.token_key)),
    name: (of) => names(integer(row[`${of}_key`])),
    open: (column, place) => open(row[column], place),
  })

  function entryTable<T>(
    { name, id, joined, joins }: Columns,
    entryOf: (row: Row, source: EntrySource) => T,
  ): EntryTable<T> {
    const select = `SELECT e.*${joined} FROM ${name} e ${joins}`
    const byId = db.prepare(`${select} WHERE e.${id} = ?`)
    const byIndex = db.prepare(`${select} WHERE e.log_index = ?`)
    const entry = (row: Row | undefined) => row && entryOf(row, sourceOf(row))
    return { name, byId: (value) => entry(byId.get(value)), at: (log_index) => entry(byIndex.get(log_index)) }
  }

  const openByBinding = db.prepare(
    `SELECT e.*, ${approvalJoined('e')} FROM approvals e WHERE binding = ? AND state = 0`,
  )
  const openOfRoot = db.prepare(countOfOpenApprovals('root_key = ?', '?'))
  const openOfBranch = db.prepare(countOfOpenApprovals('root_key = ?', '?', '?'))
  const openOfPerson = db.prepare(
    countOfOpenApprovals('human_key = (SELECT human_key FROM humans WHERE human_ref = ?)', '?'),
  )
  const deniedByBinding = db.prepare(`
    SELECT count(*) AS count, coalesce(max(decided_at_ms), 0) AS last_ms FROM approvals
    WHERE binding = ? AND state = 2`)
  const deniedOfRoot = db.prepare(deniedInARow('?1'))

  return {
    records: entryTable(RECORDS, recordOf),
    denials: entryTable(DENIALS, denialOf),
    approvals: {
      ...entryTable(APPROVALS, approvalOf),
      open(binding) {
        const row = openByBinding.get(binding)
        return row && approvalOf(row, sourceOf(row))
      },
      countOpen(owner, now_ms) {
        if ('human_ref' in owner) return integer(openOfPerson.get(owner.human_ref, now_ms)?.open)
        const found = tokens.find(owner.root_jti)
        if (found === undefined) return 0
        const row =
          owner.branch_jti === undefined
            ? openOfRoot.get(found.token_key, now_ms)
            : openOfBranch.get(found.token_key, now_ms, owner.branch_jti)
        return integer(row?.open)
      },
      denials: (binding) => denialsIn(deniedByBinding.get(binding)),
      denialsInARow(root_jti) {
        const found = tokens.find(root_jti)
        return found === undefined ? [] : deniedOfRoot.all(found.token_key).map(branchDenialOf)
      },
    },
  }
}

function denialsIn(row: Row | undefined): Denials {
  return { count: integer(row?.count), last_ms: integer(row?.last_ms) }
}
