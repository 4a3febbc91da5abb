import { AuthorityError } from '@deputize/protocol'
import type { BatchState } from '../batch-state.ts'

/** Every ref of the person behind one of them, that one first: an address belongs to the person who has proved it. */
export function everyRef(human_ref: string, batch: BatchState): string[] {
  const linked = batch.registryEntry({ kind: 'identity', id: human_ref })
  const person = linked?.document === undefined ? human_ref : (linked.owner ?? human_ref)
  return [...new Set([human_ref, person, ...batch.linkedRefs(person)])]
}

/** The refs of a person that have stored data. Refuses a person without any. */
export function storedRefs(refs: readonly string[], batch: BatchState): string[] {
  const stored = refs.filter((ref) => batch.humanMarks(ref) !== undefined)
  if (stored.length === 0) throw new AuthorityError('human_unknown')
  return stored
}
