import { usablePasskeys } from '../../access/passkey-document.ts'
import { isoInstant } from '../../domain/time.ts'
import type { Handler } from '../operation-context.ts'
import { signedInPerson } from '../signed-in-person.ts'

export const getMe: Handler<'getMe'> = async ({ caller }, { reader }) => {
  const person = signedInPerson(caller)
  const { tenant_id, human_ref, human_refs, assurance_level, amr, auth_time_ms, csrf_token } = person
  return {
    tenant_id,
    human_ref,
    human_refs: [...human_refs],
    assurance_level,
    amr: [...amr],
    auth_time: isoInstant(auth_time_ms),
    csrf_token,
    passkeys: (await usablePasskeys(reader.registry, person)).length,
  }
}
