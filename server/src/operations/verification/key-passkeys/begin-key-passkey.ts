import { hash, randomBytes } from 'node:crypto'
import { AuthorityError } from '@deputize/protocol'
import type { KeyCaller } from '../../../access/caller.ts'
import { MOST_PASSKEYS } from '../../../access/passkey-document.ts'
import { isoInstant } from '../../../domain/times/time.ts'
import { creationOptions, passkeyRefused, relyingParty } from '../../../verification/passkeys.ts'
import type { Handler, OperationContext } from '../../operation-context.ts'
import { CHALLENGE_BYTES, CHALLENGE_MS, storeChallenge } from '../passkeys/challenges.ts'
import { FRESH_SIGN_IN_S } from '../sign-in/login-flow.ts'
import { keyBrowser } from './key-browser.ts'
import { type KnownKeyPasskey, keyOfPasskey, keyPasskeysIn } from './key-passkey-entries.ts'

/** Requires a fresh sign-in: a passkey outlives its session, so a session stolen hours later must not add one. */
export const beginKeyPasskey: Handler<'beginKeyPasskey'> = async ({ caller }, context) => {
  const { holder, session } = keyBrowser(caller)
  if (context.clock() - session.started_at_ms > FRESH_SIGN_IN_S * 1000)
    throw new AuthorityError('sign_on_too_old', undefined, { sign_in_path: '/app' })
  const party = relyingParty(context.public_url())
  const known = await ownKeyPasskeys(holder, context)
  const challenge = randomBytes(CHALLENGE_BYTES)
  const purpose = { kind: 'register_key', session_key: session.session_key } as const
  const expires_at_ms = await storeChallenge(challenge, purpose, session, context)
  const options = await creationOptions(
    party,
    { challenge, timeout_ms: CHALLENGE_MS },
    { handle: keyHandle(holder.key_id), name: await accountOf(holder, context) },
    known.map(({ id, document }) => ({ id, transports: document.transports })),
  )
  return { options, expires_at: isoInstant(expires_at_ms) }
}

/** Returns a key's passkeys. Refuses a key that has reached the limit. */
export async function ownKeyPasskeys(
  { tenant_id, key_id }: KeyCaller,
  context: OperationContext,
): Promise<KnownKeyPasskey[]> {
  const all = await keyPasskeysIn(tenant_id, context)
  const own = all.filter(({ document }) => document.key_id === key_id)
  if (own.length >= MOST_PASSKEYS) throw passkeyRefused('too_many')
  return own
}

/** Returns the user handle that a device stores with the passkey. It differs from every person's. */
export function keyHandle(key_id: string): Buffer {
  return hash('sha256', `api key ${key_id}`, 'buffer')
}

/**
 * Returns the name that the device shows. A key held through a sign-in with a provider can't have passkeys: its holder
 * keeps signing in there.
 */
async function accountOf(holder: KeyCaller, context: OperationContext): Promise<string> {
  const { tenant_id, key_id, role } = holder
  const key = await keyOfPasskey({ tenant_id, document: { key_id } }, context)
  if (key?.document.held_by !== undefined) throw passkeyRefused('held_key')
  return `${key?.document.name ?? key_id} (${role}, ${tenant_id})`
}
