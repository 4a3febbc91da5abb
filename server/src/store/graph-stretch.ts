import type { StoredApproval } from '../domain/approvals/approval.ts'
import type { StoredDenial } from '../domain/denial.ts'
import type { StoredRecord } from '../domain/record.ts'
import type { UpwardPage } from './port/pages.ts'

interface GraphPages {
  readonly records: UpwardPage<StoredRecord>
  readonly denials: UpwardPage<StoredDenial>
  readonly approvals: UpwardPage<StoredApproval>
}

/** Part of a graph: its entries from an index on. */
export interface GraphStretch {
  readonly records: StoredRecord[]
  readonly denials: StoredDenial[]
  readonly approvals: StoredApproval[]
  /** The tokens of all entries, each once. */
  readonly jtis: string[]
  /** Where the next stretch begins. Undefined after the last one. */
  readonly from: number | undefined
}

/**
 * Combines pages that begin at the same index into one stretch. It ends where the first page ends, so nothing is lost.
 */
export function graphStretch({ records, denials, approvals }: GraphPages): GraphStretch {
  const ends = [records.from, denials.from, approvals.from].filter((from) => from !== undefined)
  const from = ends.length === 0 ? undefined : Math.min(...ends)
  const entries = {
    records: entriesBelow(records, from),
    denials: entriesBelow(denials, from),
    approvals: entriesBelow(approvals, from),
  }
  const jtis = new Set(Object.values(entries).flatMap((all) => all.map(({ vat_jti }) => vat_jti)))
  return { ...entries, jtis: [...jtis], from }
}

function entriesBelow<T extends { readonly log_index: number }>(
  { entries }: UpwardPage<T>,
  end: number | undefined,
): T[] {
  return end === undefined ? entries : entries.filter(({ log_index }) => log_index < end)
}
