import { AuthorityError } from '@deputize/protocol'
import type { Caller } from '../../access/caller.ts'
import type { StoredVouch } from '../../domain/vouch.ts'
import type { OperationContext } from '../operation-context.ts'

export async function loadVouch(vouch_id: string, { reader }: OperationContext): Promise<StoredVouch> {
  const found = await reader.trust.vouch(vouch_id)
  if (found === undefined) throw new AuthorityError('vouch_unknown')
  return found
}

/** Returns a vouch that the caller may change. Both ends may read it, but people change only those that they gave. */
export async function loadOwnVouch(
  vouch_id: string,
  caller: Caller,
  context: OperationContext,
): Promise<StoredVouch> {
  const found = await loadVouch(vouch_id, context)
  if (caller.role === 'human' && !caller.human_refs.includes(found.from))
    throw new AuthorityError('not_yours', 'Only the person who vouches can change or withdraw the vouch.')
  return found
}
