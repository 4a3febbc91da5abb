import { type AnswerOf, AuthorityError, canonicalJson, type OPERATIONS } from '@deputize/protocol'
import { newApiKey, secretHash } from '../../access/api-key.ts'
import { actorOf } from '../../access/caller.ts'
import type { ApiKeyDocument } from '../../access/key-holders.ts'
import type { RegisterOutcome } from '../../clerk/judges/register.ts'
import { isoInstant } from '../../domain/times/time.ts'
import type { KeptEntry } from '../../store/port/registry.ts'
import type { OperationContext, UntypedCall } from '../operation-context.ts'
import { submitCommand, withoutReplay } from '../submit-command.ts'
import { keyView } from '../views/key-view.ts'

const DEFAULT_KEY_LIFETIME_S = 90 * 24 * 3600

export type NewKeyView = AnswerOf<typeof OPERATIONS.createKey>

interface NewKeyRequest extends Pick<ApiKeyDocument, 'name' | 'role'> {
  readonly tenant_id: string
  readonly audience?: string | undefined
  readonly expires_in?: number | undefined
  /** The first key that the new one replaces. */
  readonly rotates?: string | undefined
}

/** Returns an API key, or throws `key_unknown`. */
export async function loadApiKey(key_id: string, { reader }: OperationContext): Promise<KeptEntry> {
  const entry = await reader.registry.entry('api_key', key_id)
  if (entry?.document === undefined) throw new AuthorityError('key_unknown')
  return { ...entry, document: entry.document }
}

/** Creates a key. Its text appears only in this answer: the registry holds a hash of the secret. */
export async function addApiKey(
  request: NewKeyRequest,
  call: UntypedCall,
  context: OperationContext,
): Promise<NewKeyView> {
  const { tenant_id, name, role, audience, rotates, expires_in = DEFAULT_KEY_LIFETIME_S } = request
  const { key_id, secret, text } = newApiKey()
  const now_ms = context.clock()
  const document: ApiKeyDocument = {
    name,
    role,
    ...(audience !== undefined && { audience }),
    secret_hash: secretHash(context.keys.api_key_pepper, secret),
    created_at: isoInstant(now_ms),
    expires_at: isoInstant(now_ms + expires_in * 1000),
    created_by: call.caller.name,
    ...(rotates !== undefined && { rotates }),
  }
  const entry = { id: key_id, tenant_id, owner: undefined, document: canonicalJson(document) }
  // The text is shown once, so a repeated request creates another key.
  const log_index = await putApiKey(entry, 'absent', withoutReplay(call), context)
  return { ...keyView({ kind: 'api_key', ...entry, log_index }), key: text }
}

/** Replaces or, with undefined, deletes a key. On this node, the change applies from the next call on. */
export async function changeApiKey(
  entry: KeptEntry,
  document: ApiKeyDocument | undefined,
  call: UntypedCall,
  context: OperationContext,
): Promise<void> {
  const text = document === undefined ? undefined : canonicalJson(document)
  await putApiKey({ ...entry, document: text }, entry.log_index, call, context)
  context.accessControl.forgetKey(entry.id)
}

async function putApiKey(
  {
    id,
    tenant_id,
    owner,
    document,
  }: Pick<KeptEntry, 'id' | 'tenant_id' | 'owner'> & { readonly document: string | undefined },
  expects: number | 'absent',
  call: UntypedCall,
  context: OperationContext,
): Promise<number> {
  const by = actorOf(call.caller)
  const { log_index = 0 } = await submitCommand<RegisterOutcome>(
    { kind: 'register', entry_kind: 'api_key', id, tenant_id, owner, document, expects, by },
    call,
    context,
  )
  return log_index
}
