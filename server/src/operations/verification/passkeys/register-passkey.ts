import type { Level } from '@deputize/protocol'
import type { KnownPasskey, PasskeyDocument } from '../../../access/passkey-document.ts'
import { isoInstant } from '../../../domain/times/time.ts'
import { type MadePasskey, passkeyRefused } from '../../../verification/passkeys.ts'
import type { OperationContext } from '../../operation-context.ts'
import { type PasskeyOwner, passkeysBelowLimit, putPasskey } from './passkey-entries.ts'

/** Stores a passkey whose response was verified. */
export async function registerPasskey(
  { id, aaguid, ...credential }: MadePasskey,
  person: PasskeyOwner & { readonly assurance_level: Level },
  name: string | undefined,
  context: OperationContext,
): Promise<Omit<KnownPasskey, 'log_index'>> {
  const { tenant_id, human_ref, assurance_level } = person
  await assertAccepted(aaguid, tenant_id, context)
  const document: PasskeyDocument = {
    ...credential,
    name: name ?? 'Passkey',
    created_at: isoInstant(context.clock()),
    assurance_level,
    ...(context.access === 'open' && { made_in_open_mode: true }),
  }
  const known = await passkeysBelowLimit(person, context)
  const passkey = { id, tenant_id, human_ref, document }
  await putPasskey(passkey, 'absent', context)
  // The deployment's log has the leaf. Operators who watch the process log see it too.
  context.onNotice(known.length === 0 ? 'first passkey registered' : 'passkey registered', {
    tenant_id,
    human_ref,
    aaguid,
  })
  return passkey
}

/** Refuses kinds of devices that the tenant doesn't accept. */
export async function assertAccepted(
  aaguid: string,
  tenant_id: string,
  { accessControl }: OperationContext,
): Promise<void> {
  const accepted = (await accessControl.tenants.find(tenant_id))?.passkey_aaguids ?? []
  if (accepted.length > 0 && !accepted.includes(aaguid)) throw passkeyRefused('authenticator')
}
