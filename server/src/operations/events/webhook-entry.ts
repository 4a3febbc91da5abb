import { AuthorityError, canonicalJson } from '@deputize/protocol'
import { actorOf } from '../../access/caller.ts'
import type { RegisterOutcome } from '../../clerk/judges/register.ts'
import { readWebhook, WEBHOOK_KIND, type WebhookDocument } from '../../events/webhooks/webhook-document.ts'
import type { KeptEntry } from '../../store/port/registry.ts'
import type { OperationContext, UntypedCall } from '../operation-context.ts'
import { submitCommand } from '../submit-command.ts'

export interface KnownWebhook {
  readonly entry: KeptEntry
  readonly document: WebhookDocument
}

/** Returns a webhook, or throws `webhook_unknown`. */
export async function loadWebhook(webhook_id: string, { reader }: OperationContext): Promise<KnownWebhook> {
  const entry = await reader.registry.entry(WEBHOOK_KIND, webhook_id)
  if (entry?.document === undefined) throw new AuthorityError('webhook_unknown')
  return { entry: { ...entry, document: entry.document }, document: readWebhook(entry.document) }
}

/**
 * Returns a webhook that the caller may change, or throws `not_yours`. A developer who could redirect an operator's
 * webhook would see what only operators may see.
 */
export async function ownWebhook(
  webhook_id: string,
  { caller }: Pick<UntypedCall, 'caller'>,
  context: OperationContext,
): Promise<KnownWebhook> {
  const known = await loadWebhook(webhook_id, context)
  if (caller.role === 'local' || caller.role === 'operator' || caller.role === known.document.role)
    return known
  throw new AuthorityError('not_yours', 'Only an operator can change a webhook that an operator created.')
}

/** Creates, replaces or, with undefined, deletes a webhook. Returns the index of the leaf. */
export async function putWebhook(
  { id, tenant_id }: Pick<KeptEntry, 'id' | 'tenant_id'>,
  document: WebhookDocument | undefined,
  expects: number | 'absent',
  call: UntypedCall,
  context: OperationContext,
): Promise<number> {
  const text = document === undefined ? undefined : canonicalJson(document)
  const entry = { entry_kind: WEBHOOK_KIND, id, tenant_id, owner: undefined, document: text } as const
  const { log_index = 0 } = await submitCommand<RegisterOutcome>(
    { kind: 'register', ...entry, expects, by: actorOf(call.caller) },
    call,
    context,
  )
  return log_index
}
