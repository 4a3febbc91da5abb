import { AuthorityError } from '@deputize/protocol'
import type { Caller } from '../../access/caller.ts'

/** The access table does not apply in open mode, where any program on the machine calls: none of them is the desk. */
export function assertDesk({ role }: Caller): void {
  if (role === 'safety') return
  throw new AuthorityError(
    'role_not_allowed',
    'This call requires the credential of the safety desk. Open mode has none: use keyed mode and an API key with the role safety.',
  )
}
