/** Passkeys of API keys in the registry. */
import type { KeyPasskey } from '@deputize/protocol'
import { actorOf, type Caller, type KeyCaller } from '../../../access/caller.ts'
import { type ApiKeyDocument, keyCaller } from '../../../access/key-holders.ts'
import { isSessionRole, type SessionRole } from '../../../access/key-sessions.ts'
import type { PasskeyDocument } from '../../../access/passkey-document.ts'
import { eachEntry } from '../../lists/pages.ts'
import type { OperationContext } from '../../operation-context.ts'
import { passkeyMembers } from '../../views/passkey-view.ts'

/** What the registry stores about a key's passkey, under its credential ID. No person owns the entry. */
export interface KeyPasskeyDocument extends Omit<PasskeyDocument, 'assurance_level' | 'made_in_open_mode'> {
  readonly key_id: string
}

export interface KnownKeyPasskey {
  readonly id: string
  readonly tenant_id: string
  readonly document: KeyPasskeyDocument
  readonly log_index: number
}

/** Finds a passkey. Undefined if it isn't registered. */
export async function findKeyPasskey(
  id: string,
  { reader }: OperationContext,
): Promise<KnownKeyPasskey | undefined> {
  const entry = await reader.registry.entry('key_passkey', id)
  if (entry?.document === undefined) return undefined
  const { tenant_id, document, log_index } = entry
  return { id, tenant_id, document: JSON.parse(document), log_index }
}

/** Returns the key passkeys of a tenant, newest first. */
export async function keyPasskeysIn(
  tenant_id: string,
  { reader }: OperationContext,
): Promise<KnownKeyPasskey[]> {
  const found: KnownKeyPasskey[] = []
  const entries = eachEntry((page) => reader.registry.list('key_passkey', { tenant_id }, page))
  for await (const { id, document, log_index } of entries)
    found.push({ id, tenant_id, document: JSON.parse(document), log_index })
  return found
}

/** Writes an entry. Refuses with `registry_conflict` if the registry entry no longer matches `expects`. */
export async function putKeyPasskey(
  { id, tenant_id, document }: Omit<KnownKeyPasskey, 'log_index'>,
  expects: number | 'absent',
  { clerk }: OperationContext,
): Promise<void> {
  const entry = { entry_kind: 'key_passkey', id, tenant_id, owner: undefined, expects } as const
  const by = `key:${document.key_id}`
  await clerk.submit({ kind: 'register', ...entry, document: JSON.stringify(document), by })
}

export async function removeKeyPasskey(
  { id, tenant_id, log_index: expects }: KnownKeyPasskey,
  caller: Caller,
  { clerk }: OperationContext,
): Promise<void> {
  const entry = { entry_kind: 'key_passkey', id, tenant_id, owner: undefined, expects } as const
  await clerk.submit({ kind: 'register', ...entry, document: undefined, by: actorOf(caller) })
}

/** The key of a passkey, and who holds it now. */
export interface PasskeyKey {
  readonly holder: KeyCaller & { readonly role: SessionRole }
  readonly document: ApiKeyDocument
}

/** Returns the key of a passkey. Undefined once the key is deleted or expired: its passkeys end with it. */
export async function keyOfPasskey(
  { tenant_id, document }: { readonly tenant_id: string; readonly document: { readonly key_id: string } },
  { reader, clock }: OperationContext,
): Promise<PasskeyKey | undefined> {
  const { key_id } = document
  const entry = await reader.registry.entry('api_key', key_id)
  const holder = keyCaller(key_id, entry, clock())
  if (entry?.document === undefined || holder?.tenant_id !== tenant_id) return undefined
  const { role } = holder
  return isSessionRole(role)
    ? { holder: { ...holder, role }, document: JSON.parse(entry.document) }
    : undefined
}

/** Whether the caller may see a passkey: operators see those of their tenant, others those of their own key. */
export function maySeeKeyPasskey(caller: KeyCaller, { tenant_id, document }: KnownKeyPasskey): boolean {
  if (caller.tenant_id !== tenant_id) return false
  return caller.role === 'operator' || caller.key_id === document.key_id
}

export function keyPasskeyView(
  { id, document }: Pick<KnownKeyPasskey, 'id' | 'document'>,
  { name: key_name }: Pick<ApiKeyDocument, 'name'>,
): KeyPasskey {
  const { key_id, name } = document
  return { passkey_id: id, key_id, key_name, name, ...passkeyMembers(document) }
}
