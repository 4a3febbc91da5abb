import type { Reason } from '@deputize/protocol'
import type { StoredDenial } from '../../domain/denial.ts'
import { rowReader } from '../row-reader.ts'
import type { RowOf } from '../tables.ts'
import { bytes, type Row } from '../values.ts'
import type { EntrySource } from './entries.ts'
import type { RowKeys } from './row-keys.ts'
import { madeWith } from './tokens.ts'

const readDenial = rowReader('denials')

/** Reads a row of `denials` with its leaf hash. */
export function denialOf(joined: Row, { token, name }: EntrySource): StoredDenial {
  const row = readDenial(joined)
  return {
    ...madeWith(token),
    denial_id: row.denial_id,
    action: name('action'),
    resource: name('resource'),
    spend_micro_usd: row.spend_micro_usd,
    // Written from a non-empty list of reasons, and never changed.
    reasons: JSON.parse(row.reasons) as [Reason, ...Reason[]],
    trace_id: row.trace_id ?? undefined,
    created_at_ms: row.created_at_ms,
    log_index: row.log_index,
    leaf_hash: bytes(joined.leaf_hash),
  }
}

/** Returns a new row of `denials`. */
export function denialRow(denial: StoredDenial, keys: RowKeys): RowOf<'denials'> {
  return {
    log_index: denial.log_index,
    denial_id: denial.denial_id,
    token_key: keys.token(denial.vat_jti).token_key,
    action_key: keys.name(denial.action),
    resource_key: keys.name(denial.resource),
    spend_micro_usd: denial.spend_micro_usd,
    reasons: JSON.stringify(denial.reasons),
    created_at_ms: denial.created_at_ms,
    trace_id: denial.trace_id ?? null,
  }
}
