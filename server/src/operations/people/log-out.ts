import type { KeyCaller } from '../../access/caller.ts'
import { everyRefOf } from '../identity/proven-person.ts'
import { signedInPerson } from '../identity/signed-in-person.ts'
import type { Handler, OperationContext } from '../operation-context.ts'

export const logOut: Handler<'logOut'> = async ({ caller, body, onSession }, context) => {
  if ('key_id' in caller) await endKeySessions(caller, body.everywhere === true, context)
  else {
    const { human_ref, session_key } = signedInPerson(caller)
    const { sessions } = context.accessControl
    const refs = body.everywhere === true ? await everyRefOf(human_ref, context) : []
    for (const ref of refs) await sessions.endOthers(ref, session_key)
    await sessions.end(session_key)
  }
  onSession(undefined)
  return { signed_out: true }
}

async function endKeySessions(
  caller: KeyCaller,
  isEverywhere: boolean,
  { accessControl }: OperationContext,
): Promise<void> {
  const { tenant_id, key_id, owner_id = key_id, session: own } = caller
  const { keySessions } = accessControl
  if (isEverywhere) await keySessions.endAll(tenant_id, (session) => session.owner_id === owner_id, caller)
  if (own !== undefined) await keySessions.end({ session_key: own.session_key, tenant_id }, caller)
}
