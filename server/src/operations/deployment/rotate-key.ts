import { AuthorityError } from '@deputize/protocol'
import type { ApiKeyDocument } from '../../access/key-holders.ts'
import { isoInstant } from '../../domain/times/time.ts'
import type { Handler } from '../operation-context.ts'
import { withoutReplay } from '../submit-command.ts'
import { addApiKey, changeApiKey, loadApiKey } from './api-key-entry.ts'

const DEFAULT_OVERLAP_S = 24 * 3600

/**
 * Creates the new key first. A crash before the old one's lifetime is shortened leaves two working keys and locks no
 * caller out. A key that a person holds through a sign-in has no replacement: a key with a secret would stay when the
 * person leaves the group, or is stopped.
 */
export const rotateKey: Handler<'rotateKey'> = async (call, context) => {
  const entry = await loadApiKey(call.params.key_id, context)
  const old: ApiKeyDocument = JSON.parse(entry.document)
  if (old.held_by !== undefined) throw new AuthorityError('held_key')
  const { name, role, audience, rotates = entry.id } = old
  const { overlap_s = DEFAULT_OVERLAP_S, expires_in } = call.body
  const { tenant_id } = entry
  const created = await addApiKey({ tenant_id, name, role, audience, expires_in, rotates }, call, context)
  const end_ms = Math.min(Date.parse(old.expires_at), context.clock() + overlap_s * 1000)
  const replaced = { ...old, expires_at: isoInstant(end_ms), replaced_by: created.key_id }
  await changeApiKey(entry, replaced, withoutReplay(call), context)
  return created
}
