import { AuthorityError } from '@deputize/protocol'
import { passkeyRefused, verifyAssertion } from '../../../verification/passkeys.ts'
import { keySignIn } from '../../identity/key-sign-in.ts'
import type { Handler } from '../../operation-context.ts'
import { takeChallenge } from '../passkeys/challenges.ts'
import { recordUse } from '../passkeys/used-passkey.ts'
import { keyHandle } from './begin-key-passkey.ts'
import { findKeyPasskey, type KnownKeyPasskey, keyOfPasskey, putKeyPasskey } from './key-passkey-entries.ts'

/** The session acts for the key as it is now: a passkey grants nothing that its key doesn't. */
export const signInWithPasskey: Handler<'signInWithPasskey'> = async ({ body, onSession }, context) => {
  if (context.access === 'open')
    throw new AuthorityError(
      'credential_required',
      'Sign-in is available in keyed mode only. In open mode no call needs a credential.',
    )
  const { response } = body
  const { challenge, party } = await takeChallenge(response, 'login', undefined, context)
  const found = await findKeyPasskey(response.id, context)
  if (found === undefined) throw passkeyRefused('credential')
  const { userHandle } = response.response
  const isForeign =
    userHandle !== undefined && !Buffer.from(userHandle, 'base64url').equals(keyHandle(found.document.key_id))
  const key = await keyOfPasskey(found, context)
  if (isForeign || key === undefined) throw passkeyRefused('credential')
  const assertion = await verifyAssertion(party, response, challenge, found.document)
  const shelf = {
    find: (id: string) => findKeyPasskey(id, context),
    put: (passkey: KnownKeyPasskey) => putKeyPasskey(passkey, passkey.log_index, context),
  }
  await recordUse(found, assertion, shelf, context)
  return keySignIn(key.holder, onSession, context, found.id)
}
