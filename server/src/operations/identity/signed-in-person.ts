import { AuthorityError } from '@deputize/protocol'
import type { Caller, HumanCaller } from '../../access/caller.ts'

/** Returns the caller if it is a signed-in person. Only keyed mode has sign-in. */
export function signedInPerson(caller: Caller): HumanCaller {
  if (caller.role === 'human') return caller
  throw new AuthorityError(
    'credential_required',
    'This call needs a signed-in person. Sign-in is available in keyed mode only.',
  )
}
