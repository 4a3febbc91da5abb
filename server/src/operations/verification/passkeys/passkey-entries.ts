/** Passkeys in the registry. */
import { actorOf, type Caller, type HumanCaller } from '../../../access/caller.ts'
import { type KnownPasskey, MOST_PASSKEYS, passkeysOf } from '../../../access/passkey-document.ts'
import { passkeyRefused } from '../../../verification/passkeys.ts'
import type { OperationContext } from '../../operation-context.ts'

export type PasskeyOwner = Pick<HumanCaller, 'tenant_id' | 'human_ref'>
type PasskeyEntry = Omit<KnownPasskey, 'log_index'>

/** Returns the person's passkeys. Refuses a person who has reached the limit. */
export async function passkeysBelowLimit(
  person: PasskeyOwner,
  { reader }: OperationContext,
): Promise<KnownPasskey[]> {
  const known = await passkeysOf(reader.registry, person)
  if (known.length >= MOST_PASSKEYS) throw passkeyRefused('too_many')
  return known
}

/** Writes an entry. Refuses with `registry_conflict` if the registry entry no longer matches `expects`. */
export async function putPasskey(
  passkey: PasskeyEntry,
  expects: number | 'absent',
  { clerk }: OperationContext,
): Promise<void> {
  const document = JSON.stringify(passkey.document)
  await clerk.submit({ ...registration(passkey), document, expects })
}

export async function removePasskey(
  passkey: KnownPasskey,
  caller: Caller,
  { clerk }: OperationContext,
): Promise<void> {
  const removal = { document: undefined, expects: passkey.log_index, by: actorOf(caller) }
  await clerk.submit({ ...registration(passkey), ...removal })
}

function registration({ id, tenant_id, human_ref }: PasskeyEntry) {
  return { kind: 'register', entry_kind: 'passkey', id, tenant_id, owner: human_ref } as const
}

export function belongsTo({ tenant_id, human_ref }: KnownPasskey, person: PasskeyOwner): boolean {
  return tenant_id === person.tenant_id && human_ref === person.human_ref
}

/** Returns what helps the browser find the passkey on the device. */
export function passkeyHint({ id, document }: KnownPasskey) {
  return { id, transports: document.transports }
}
