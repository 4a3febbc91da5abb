import type { AnswerOf, OPERATIONS } from '@deputize/protocol'
import type { ApiKeyDocument } from '../../access/key-holders.ts'
import type { KeptEntry } from '../../store/port/registry.ts'

type KeyView = AnswerOf<typeof OPERATIONS.listKeys>['data'][number]

/** Returns an API key without its secret. */
export function keyView({ id, tenant_id, document, log_index }: KeptEntry): KeyView {
  const stored: ApiKeyDocument = JSON.parse(document)
  const { name, role, audience, created_at, expires_at, created_by, held_by } = stored
  return {
    key_id: id,
    tenant_id,
    name,
    role,
    ...(audience !== undefined && { audience }),
    created_at,
    expires_at,
    created_by,
    ...(held_by !== undefined && { held_by }),
    log_index,
  }
}
