import { endWebhooks } from '../identity/webhooks-of-key.ts'
import type { Handler } from '../operation-context.ts'
import { changeApiKey, loadApiKey } from './api-key-entry.ts'

/** Deletes the key first, so that nothing can prevent it. A crash after that leaves its webhooks enabled. */
export const deleteKey: Handler<'deleteKey'> = async (call, context) => {
  const entry = await loadApiKey(call.params.key_id, context)
  await changeApiKey(entry, undefined, call, context)
  return { deleted: true, key_id: entry.id, ...(await endWebhooks(entry, context)) }
}
