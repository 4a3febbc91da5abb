import { AuthorityError } from '@deputize/protocol'
import type { StoredRecord } from '../../domain/record.ts'
import type { OperationContext } from '../operation-context.ts'

/** Returns an action record, or throws `record_unknown`. */
export async function loadRecord(aar_id: string, { reader }: OperationContext): Promise<StoredRecord> {
  const record = await reader.record(aar_id)
  if (record === undefined) throw new AuthorityError('record_unknown')
  return record
}
