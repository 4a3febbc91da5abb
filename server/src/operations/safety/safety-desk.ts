import { AuthorityError } from '@deputize/protocol'
import type { Caller } from '../../access/caller.ts'

/**
 * Throws unless the caller is the safety desk. The access table doesn't apply in open mode, where any program on the
 * machine may call, and none of them is the desk.
 */
export function assertDesk({ role }: Caller): void {
  if (role === 'safety') return
  throw new AuthorityError(
    'role_not_allowed',
    'This call requires the credential of the safety desk. Open mode has none: use keyed mode and an API key with the role safety.',
  )
}
