import { isoInstant } from '../../../domain/times/time.ts'
import { passkeyRefused, verifyRegistration } from '../../../verification/passkeys.ts'
import type { Handler } from '../../operation-context.ts'
import { takeChallenge } from '../passkeys/challenges.ts'
import { assertAccepted } from '../passkeys/register-passkey.ts'
import { ownKeyPasskeys } from './begin-key-passkey.ts'
import { keyBrowser } from './key-browser.ts'
import { keyOfPasskey, keyPasskeyView, putKeyPasskey } from './key-passkey-entries.ts'

/** Ignores the Idempotency-Key: a challenge accepts one response, and a repeated call needs a new challenge. */
export const finishKeyPasskey: Handler<'finishKeyPasskey'> = async ({ caller, body }, context) => {
  const { holder, session } = keyBrowser(caller)
  const { challenge, party } = await takeChallenge(body.response, 'register_key', session, context)
  const { id, aaguid, ...credential } = await verifyRegistration(party, body.response, challenge)
  const { tenant_id, key_id } = holder
  await assertAccepted(aaguid, tenant_id, context)
  await ownKeyPasskeys(holder, context)
  const document = {
    ...credential,
    name: body.name ?? 'Passkey',
    created_at: isoInstant(context.clock()),
    key_id,
  }
  const passkey = { id, tenant_id, document }
  const key = await keyOfPasskey(passkey, context)
  if (key === undefined) throw passkeyRefused('credential')
  await putKeyPasskey(passkey, 'absent', context)
  context.onNotice('passkey of an API key registered', { tenant_id, key_id, aaguid })
  return keyPasskeyView(passkey, key.document)
}
