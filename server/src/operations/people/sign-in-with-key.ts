import { AuthorityError, CREDENTIAL_FAULTS } from '@deputize/protocol'
import type { KeyCaller } from '../../access/caller.ts'
import { isSessionRole, SESSION_ROLES } from '../../access/key-sessions.ts'
import { keySignIn } from '../identity/key-sign-in.ts'
import type { Handler, OperationContext } from '../operation-context.ts'

/**
 * The secret of the session is always new, so that a secret planted in the browser never becomes a session. A wrong key
 * counts as a guess from the caller's network.
 */
export const signInWithKey: Handler<'signInWithKey'> = async ({ body, onSession }, context) => {
  const holder = await keyHolder(body.key, context)
  const { role } = holder
  if (!isSessionRole(role))
    throw new AuthorityError(
      'role_not_allowed',
      'Only operators, developers and auditors can sign in with their key. Send keys of other roles with each call.',
      { role, roles: SESSION_ROLES },
    )
  return keySignIn({ ...holder, role }, onSession, context)
}

async function keyHolder(text: string, { access, accessControl }: OperationContext): Promise<KeyCaller> {
  if (access === 'open')
    throw new AuthorityError(
      'credential_required',
      'Sign-in is available in keyed mode only. In open mode no call needs a credential.',
    )
  const holder = await accessControl.keyHolders.caller(text)
  if (holder !== undefined) return holder
  const { description } = CREDENTIAL_FAULTS.key_refused
  throw new AuthorityError('credential_invalid', `${description}.`, { reason: 'key_refused' })
}
