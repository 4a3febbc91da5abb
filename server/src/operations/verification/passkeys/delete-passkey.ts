import { AuthorityError } from '@deputize/protocol'
import { findPasskey } from '../../../access/passkey-document.ts'
import { everyRefOf } from '../../identity/proven-person.ts'
import type { Handler } from '../../operation-context.ts'
import { belongsTo, removePasskey } from './passkey-entries.ts'

/** Also ends the person's other sessions, because a lost device may be signed in. A crash in between leaves those sessions. */
export const deletePasskey: Handler<'deletePasskey'> = async ({ caller, params }, context) => {
  const { reader, accessControl } = context
  const passkey = await findPasskey(reader.registry, params.id)
  if (passkey === undefined) throw new AuthorityError('passkey_unknown')
  await removePasskey(passkey, caller, context)
  const isOwn = caller.role === 'human' && belongsTo(passkey, caller)
  for (const human_ref of await everyRefOf(passkey.human_ref, context))
    await accessControl.sessions.endOthers(human_ref, ...(isOwn ? [caller.session_key] : []))
  return { deleted: true, passkey_id: passkey.id }
}
