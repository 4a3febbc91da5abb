import { type ActionRecord, tokenRef } from '@deputize/protocol'
import { recordView, type StoredRecord } from '../../../domain/record.ts'

/** A record for exports, which leave the deployment. Token IDs, credentials in open mode, are hashed. */
export type PublicRecord = Omit<ActionRecord, 'vat_jti' | 'root_jti'> & {
  readonly token: string
  readonly root_token: string
}

export function publicRecord(record: StoredRecord): PublicRecord {
  const { vat_jti, root_jti, ...view } = recordView(record)
  return { ...view, token: tokenRef(vat_jti), root_token: tokenRef(root_jti) }
}
