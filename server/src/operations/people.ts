import { AuthorityError } from '@deputize/protocol'
import type { Caller, HumanCaller } from '../access/caller.ts'
import { usablePasskeys } from '../access/passkey-document.ts'
import { isoInstant } from '../domain/time.ts'
import type { Handler } from './operation-context.ts'

/** Who has signed in. In open mode nobody does. */
export function personIn(caller: Caller): HumanCaller {
  if (caller.role === 'human') return caller
  throw new AuthorityError(
    'credential_required',
    'This is for people who have signed in, and people sign in only in keyed mode.',
  )
}

export const getMe: Handler<'getMe'> = async (call, { reader }) => {
  const person = personIn(call.caller)
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

export const logOut: Handler<'logOut'> = async ({ caller, body, onSession }, { accessControl }) => {
  const { human_ref, session_key } = personIn(caller)
  if (body.everywhere === true) await accessControl.sessions.endOthers(human_ref, session_key)
  await accessControl.sessions.end(session_key)
  onSession(undefined)
  return { signed_out: true }
}
