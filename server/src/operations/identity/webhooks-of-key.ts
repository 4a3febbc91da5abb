import { type AnswerOf, AuthorityError, type ErrorCode, type OPERATIONS } from '@deputize/protocol'
import type { ApiKeyDocument } from '../../access/key-holders.ts'
import { STREAM_KIND, type StreamDocument, streamIn } from '../../events/signals/stream-document.ts'
import { readWebhook, WEBHOOK_KIND } from '../../events/webhooks/webhook-document.ts'
import type { KeptEntry } from '../../store/port/registry.ts'
import { eachEntry } from '../lists/pages.ts'
import type { OperationContext } from '../operation-context.ts'

const STORAGE_FAULTS: readonly ErrorCode[] = ['storage_unavailable', 'storage_full']

/** What a key created that sends events to others. */
type MadeByKey = Pick<AnswerOf<typeof OPERATIONS.deleteKey>, 'disabled_webhooks' | 'kept_streams'>

/**
 * Disables the webhooks of a deleted key. Those that a stolen key created or redirected would otherwise keep sending
 * events to the thief. After a rotation they belong to the new key. Signal streams continue and are only named: a
 * gateway that no longer learns what was revoked would keep accepting it, which is worse than a thief who learns it.
 */
export async function endWebhooks(key: KeptEntry, context: OperationContext): Promise<MadeByKey> {
  try {
    if (await hasSuccessor(key, context)) return { disabled_webhooks: [], kept_streams: [] }
    const kept_streams = await pushedStreamsOf(key, context)
    return { disabled_webhooks: await disableWebhooksOf(key, context), kept_streams }
  } catch (cause) {
    if (!(cause instanceof AuthorityError && STORAGE_FAULTS.includes(cause.code))) throw cause
    throw new AuthorityError(
      cause.code,
      `${key.id} is deleted, but webhooks that it created or redirected may still be enabled. Delete those with created_by key:${key.id}, and those with an address that you don't know.`,
    )
  }
}

/**
 * Whether a newer key of the same rotation is valid. A key that was replaced may still work for a while, but what the
 * deleted key created doesn't belong to it.
 */
async function hasSuccessor(deleted: KeptEntry, { reader, clock }: OperationContext): Promise<boolean> {
  const { tenant_id } = deleted
  for await (const entry of eachEntry((page) => reader.registry.list('api_key', { tenant_id }, page))) {
    const { expires_at, replaced_by }: ApiKeyDocument = JSON.parse(entry.document)
    const isCurrent = replaced_by === undefined && Date.parse(expires_at) > clock()
    if (isCurrent && firstKeyOf(entry) === firstKeyOf(deleted)) return true
  }
  return false
}

function firstKeyOf({ id, document }: KeptEntry): string {
  const { rotates = id }: ApiKeyDocument = JSON.parse(document)
  return rotates
}

async function disableWebhooksOf(key: KeptEntry, context: OperationContext): Promise<string[]> {
  const { reader } = context
  const { deliveries } = context.events
  const { tenant_id } = key
  const disabled: string[] = []
  for await (const entry of eachEntry((page) => reader.registry.list(WEBHOOK_KIND, { tenant_id }, page))) {
    const webhook = readWebhook(entry.document)
    if (!isCreatedBy(key, webhook) && webhook.turned_by !== firstKeyOf(key)) continue
    if (await disableWebhook(entry, context)) disabled.push(entry.id)
  }
  if (disabled.length > 0) await deliveries.changed()
  return disabled
}

/** Returns the pushed streams of a key. A polled stream ends with the key that polls it. */
async function pushedStreamsOf(key: KeptEntry, { reader }: OperationContext): Promise<string[]> {
  const { tenant_id } = key
  const pushed: string[] = []
  for await (const { id, document } of eachEntry((page) =>
    reader.registry.list(STREAM_KIND, { tenant_id }, page),
  )) {
    const stream = streamIn(document)
    if (stream.push !== undefined && isCreatedBy(key, stream)) pushed.push(id)
  }
  return pushed
}

/** Whether the key, or one that it replaced, created this. */
function isCreatedBy(
  key: KeptEntry,
  { first_key_id, created_by }: Pick<StreamDocument, 'first_key_id' | 'created_by'>,
): boolean {
  const first = firstKeyOf(key)
  return first_key_id === first || created_by === `key:${key.id}` || created_by === `key:${first}`
}

/**
 * Disables a webhook. The notice is logged first, as for a failing webhook: a crash in between leaves a notice and a
 * webhook that is still enabled.
 */
async function disableWebhook(
  { id, tenant_id, document }: KeptEntry,
  { clerk, clock, events }: OperationContext,
): Promise<boolean> {
  const { store } = events.deliveries
  await store.begin([{ endpoint_id: id, since: readWebhook(document).since }])
  if ((await store.state(id))?.disabled !== undefined) return false
  const about = { endpoint_id: id, tenant_id, entry_kind: WEBHOOK_KIND, cause: 'key_deleted' } as const
  await clerk.submit({ kind: 'endpoint_disabled', ...about }, 'stop')
  return store.disable(id, about.cause, clock())
}
