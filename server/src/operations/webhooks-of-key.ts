import { AuthorityError } from '@deputize/protocol'
import type { ApiKeyDocument } from '../access/key-holders.ts'
import { readWebhook, WEBHOOK_KIND } from '../events/webhooks/webhook-document.ts'
import type { KeptEntry } from '../store/port.ts'
import type { OperationContext } from './operation-context.ts'
import { eachEntry } from './pages.ts'

/**
 * Disables the webhooks of a key that was deleted, and returns them. Those that a stolen key created, or turned to another
 * address, would go on telling the thief. After a rotation they belong to the new key. The list of webhooks shows who
 * created them, and where they lead.
 */
export async function endWebhooks(key: KeptEntry, context: OperationContext): Promise<string[]> {
  try {
    return (await hasSuccessor(key, context)) ? [] : await disableWebhooksOf(key, context)
  } catch (cause) {
    if (!(cause instanceof AuthorityError && cause.code === 'storage_unavailable')) throw cause
    throw new AuthorityError(
      'storage_unavailable',
      `${key.id} is deleted, but webhooks that it created or turned to another address may still be enabled. Delete those with created_by key:${key.id}, and those with an address that you don't know.`,
    )
  }
}

/** Whether a key of the same rotation works. */
async function hasSuccessor(deleted: KeptEntry, { reader, clock }: OperationContext): Promise<boolean> {
  const { tenant_id } = deleted
  for await (const entry of eachEntry((page) => reader.registry.list('api_key', { tenant_id }, page))) {
    const { expires_at }: ApiKeyDocument = JSON.parse(entry.document)
    if (firstKeyOf(entry) === firstKeyOf(deleted) && Date.parse(expires_at) > clock()) return true
  }
  return false
}

function firstKeyOf({ id, document }: KeptEntry): string {
  const { rotates = id }: ApiKeyDocument = JSON.parse(document)
  return rotates
}

async function disableWebhooksOf(key: KeptEntry, context: OperationContext): Promise<string[]> {
  const { reader, deliveries } = context
  const { tenant_id } = key
  const creators = [key.id, firstKeyOf(key)].map((key_id) => `key:${key_id}`)
  const disabled: string[] = []
  for await (const entry of eachEntry((page) => reader.registry.list(WEBHOOK_KIND, { tenant_id }, page))) {
    const { first_key_id, created_by, turned_by } = readWebhook(entry.document)
    const isOurs = [first_key_id, turned_by].includes(firstKeyOf(key)) || creators.includes(created_by)
    if (isOurs && (await disableWebhook(entry, context))) disabled.push(entry.id)
  }
  if (disabled.length > 0) await deliveries.changed()
  return disabled
}

/** The notice goes first, as for one that fails: a crash in between leaves a webhook that goes on, and a notice. */
async function disableWebhook(
  { id, tenant_id, document }: KeptEntry,
  { clerk, clock, deliveries: { store } }: OperationContext,
): Promise<boolean> {
  await store.begin([{ endpoint_id: id, since: readWebhook(document).since }])
  if ((await store.state(id))?.disabled !== undefined) return false
  const about = { endpoint_id: id, tenant_id, entry_kind: WEBHOOK_KIND, cause: 'key_deleted' } as const
  await clerk.submit({ kind: 'endpoint_disabled', ...about }, 'stop')
  return store.disable(id, about.cause, clock())
}
