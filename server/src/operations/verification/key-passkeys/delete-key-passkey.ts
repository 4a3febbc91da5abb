import { AuthorityError } from '@deputize/protocol'
import type { KeySession } from '../../../access/key-sessions.ts'
import type { Handler } from '../../operation-context.ts'
import { keyHolderIn } from './key-browser.ts'
import { findKeyPasskey, maySeeKeyPasskey, removeKeyPasskey } from './key-passkey-entries.ts'

/**
 * Also ends the sessions that began with the passkey, and the other sessions of its key, because a lost device may be
 * signed in. A crash in between leaves the latter. A passkey that the caller may not see gets the same answer as one
 * that doesn't exist.
 */
export const deleteKeyPasskey: Handler<'deleteKeyPasskey'> = async ({ caller, params }, context) => {
  const passkey = await findKeyPasskey(params.id, context)
  if (passkey === undefined || caller.role === 'local') throw new AuthorityError('passkey_unknown')
  const holder = keyHolderIn(caller)
  if (!maySeeKeyPasskey(holder, passkey)) throw new AuthorityError('passkey_unknown')
  await removeKeyPasskey(passkey, caller, context)
  const isOther = ({ key_id, session_key }: KeySession) =>
    key_id === passkey.document.key_id && session_key !== holder.session?.session_key
  await context.accessControl.keySessions.endAll(passkey.tenant_id, isOther, caller)
  return { deleted: true, passkey_id: passkey.id }
}
