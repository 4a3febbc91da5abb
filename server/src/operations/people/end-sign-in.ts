import { AuthorityError } from '@deputize/protocol'
import { type Caller, sessionKeyFor } from '../../access/caller.ts'
import type { Session } from '../../access/sessions.ts'
import type { Handler } from '../operation-context.ts'
import { mayEndKeySession } from './list-sign-ins.ts'

/** A session that the caller may not see gets the same answer as one that doesn't exist. */
export const endSignIn: Handler<'endSignIn'> = async ({ caller, params, onSession }, { accessControl }) => {
  const { session_id } = params
  const { sessions, keySessions } = accessControl
  const person = await sessions.readByKey(session_id)
  const found = await keySessions.readByKey(session_id)
  if (person !== undefined && mayEnd(caller, person)) await sessions.end(session_id)
  else if (found !== undefined && mayEndKeySession(caller, found.session))
    await keySessions.end(found.session, caller)
  else throw new AuthorityError('sign_in_unknown')
  if (sessionKeyFor(caller) === session_id) onSession(undefined)
  return { ended: true, session_id }
}

function mayEnd(caller: Caller, { tenant_id, human_ref }: Session): boolean {
  if (caller.tenant_id !== tenant_id) return false
  return caller.role === 'human' ? caller.human_refs.includes(human_ref) : caller.role === 'operator'
}
