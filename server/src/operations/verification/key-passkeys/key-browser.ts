import { AuthorityError } from '@deputize/protocol'
import type { BrowserSession, Caller, KeyCaller } from '../../../access/caller.ts'
import { passkeyRefused } from '../../../verification/passkeys.ts'

/** Returns a caller with an API key in a session. Programs that send the key itself have no use for passkeys. */
export function keyBrowser(caller: Caller): { readonly holder: KeyCaller; readonly session: BrowserSession } {
  const holder = keyHolderIn(caller)
  if (holder.session === undefined) throw passkeyRefused('no_session')
  return { holder, session: holder.session }
}

/** Returns the caller as a key holder. The access table admits only keys, and open mode has none. */
export function keyHolderIn(caller: Caller): KeyCaller {
  if ('key_id' in caller) return caller
  throw new AuthorityError(
    'credential_required',
    'Passkeys of API keys exist in keyed mode only. In open mode no call needs a credential.',
  )
}
