import { hash } from 'node:crypto'
import { AuthorityError, canonicalJson } from '@deputize/protocol'
import { keyIdFrom } from '../../access/api-key.ts'
import { actorOf, type Caller, type KeyCaller } from '../../access/caller.ts'
import { type ApiKeyDocument, heldSince, keyCaller } from '../../access/key-holders.ts'
import { SESSION_MOST_MS } from '../../access/session-entries.ts'
import { isoInstant } from '../../domain/times/time.ts'
import type { KeptEntry, RegistryEntry } from '../../store/port/registry.ts'
import type { StaffRole } from '../../verification/providers.ts'
import { eachEntry } from '../lists/pages.ts'
import type { OperationContext } from '../operation-context.ts'
import type { ProvenPerson } from './proven-person.ts'
import { endWebhooks } from './webhooks-of-key.ts'

/**
 * Returns the key that a person holds through a group at their provider. It has no text, so it works only in sessions,
 * and it lasts as long as the longest session that begins now. By then, a person who has left the group has lost the
 * role. The same person keeps the same key, and with it what they created. Operators see it in the list of keys and can
 * delete it, which permanently ends its sessions, although the next sign-in gives the person the same key. Its entry
 * belongs to the person, so that whoever signs in only here can be stopped and erased like everybody else.
 */
export async function heldKey(
  person: ProvenPerson,
  role: StaffRole,
  context: OperationContext,
): Promise<KeyCaller> {
  const { tenant_id, provider, human_ref } = person
  const { registry } = context.reader
  const id = heldKeyId([tenant_id, provider, human_ref, role])
  const now_ms = context.clock()
  const known = await ownedEntry(id, context)
  // IDs are short, so two people may have the same one, but must not share a key.
  if (known?.document !== undefined && holderIn(known.document) !== human_ref)
    throw new AuthorityError('registry_conflict')
  const held_since = known?.document === undefined ? undefined : heldSince(known.document, known.log_index)
  const document: ApiKeyDocument = {
    name: `Sign-in with ${provider}`,
    role,
    secret_hash: '', // the hash of no secret
    created_at: isoInstant(now_ms),
    expires_at: isoInstant(now_ms + SESSION_MOST_MS),
    created_by: `sign-in:${provider}`,
    held_by: human_ref,
    ...(held_since !== undefined && { held_since }),
  }
  const expects = known?.document === undefined ? 'absent' : known.log_index
  const entry = { entry_kind: 'api_key', id, tenant_id, owner: human_ref, expects } as const
  try {
    await context.clerk.submit({ kind: 'register', ...entry, document: canonicalJson(document) })
  } catch (error) {
    // A concurrent sign-in of the same person has written it.
    if (!(error instanceof AuthorityError && error.code === 'registry_conflict')) throw error
  }
  const caller = keyCaller(id, await registry.entry('api_key', id), now_ms)
  if (caller?.tenant_id !== tenant_id || caller.role !== role) throw new AuthorityError('registry_conflict')
  return caller
}

/** Returns the entry of a held key. One of an earlier version has no owner: it is deleted, which ends its sessions. */
async function ownedEntry(
  id: string,
  { reader, clerk }: OperationContext,
): Promise<RegistryEntry | undefined> {
  const known = await reader.registry.entry('api_key', id)
  if (known?.document === undefined || known.owner !== undefined) return known
  const { tenant_id, owner } = known
  const entry = { entry_kind: 'api_key', id, tenant_id, owner, expects: 'any' } as const
  await clerk.submit({ kind: 'register', ...entry, document: undefined })
  return undefined
}

function holderIn(document: string): string | undefined {
  const { held_by }: ApiKeyDocument = JSON.parse(document)
  return held_by
}

/** Ends the keys that a person holds, and with them their dashboard sessions. The key of the call itself remains. */
export async function endHeldKeys(
  human_refs: readonly string[],
  caller: Caller,
  context: OperationContext,
): Promise<void> {
  const held = await keysHeldBy(human_refs, caller, context)
  await endKeys(
    held.filter((key) => !isOwn(key, caller)),
    caller,
    context,
  )
}

/** Like `endHeldKeys`, but also ends the key of the call. Returns whether it was one of them. */
export async function endEveryHeldKey(
  human_refs: readonly string[],
  caller: Caller,
  context: OperationContext,
): Promise<boolean> {
  const held = await keysHeldBy(human_refs, caller, context)
  await endKeys(held, caller, context)
  return held.some((key) => isOwn(key, caller))
}

/**
 * Ends keys. This works even if one of their webhooks can't be disabled, which is only logged: a repeated call wouldn't
 * find the keys again.
 */
async function endKeys(keys: readonly KeptEntry[], caller: Caller, context: OperationContext): Promise<void> {
  const { clerk, accessControl, onNotice } = context
  const { tenant_id } = caller
  const by = actorOf(caller)
  for (const { id, owner } of keys) {
    const entry = { entry_kind: 'api_key', id, tenant_id, owner } as const
    await clerk.submit({ kind: 'register', ...entry, document: undefined, expects: 'any', by }, 'stop')
    accessControl.forgetKey(id)
  }
  for (const key of keys)
    await endWebhooks(key, context).catch((cause) =>
      onNotice(`webhooks of a deleted key may still be enabled: ${cause}`, { tenant_id, key_id: key.id }),
    )
}

/** Returns the keys that people hold in the caller's tenant. */
async function keysHeldBy(
  human_refs: readonly string[],
  { tenant_id }: Caller,
  { reader }: OperationContext,
): Promise<KeptEntry[]> {
  const held: KeptEntry[] = []
  for await (const key of eachEntry((page) => reader.registry.list('api_key', { tenant_id }, page)))
    if (human_refs.includes(holderIn(key.document) ?? '')) held.push(key)
  return held
}

function isOwn({ id }: KeptEntry, caller: Caller): boolean {
  return 'key_id' in caller && caller.key_id === id
}

/** Returns the key's ID, which is the same for the same person, provider and role. It isn't secret. */
function heldKeyId(parts: readonly string[]): string {
  return keyIdFrom(hash('sha256', canonicalJson(parts), 'buffer'))
}
