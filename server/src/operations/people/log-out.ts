import type { Handler } from '../operation-context.ts'
import { signedInPerson } from '../signed-in-person.ts'

export const logOut: Handler<'logOut'> = async ({ caller, body, onSession }, { accessControl }) => {
  const { human_ref, session_key } = signedInPerson(caller)
  if (body.everywhere === true) await accessControl.sessions.endOthers(human_ref, session_key)
  await accessControl.sessions.end(session_key)
  onSession(undefined)
  return { signed_out: true }
}
