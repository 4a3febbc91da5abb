import { AuthorityError } from '@deputize/protocol'
import type { BatchState } from '../batch-state.ts'

/**
 * Every ref of the person that this ref belongs to, this one first. An address belongs to the person who has proved it.
 */
export function everyRef(human_ref: string, batch: BatchState): string[] {
  const linked = batch.registryEntry({ kind: 'identity', id: human_ref })
  const person = linked?.document === undefined ? human_ref : (linked.owner ?? human_ref)
  return [...new Set([human_ref, person, ...batch.linkedRefs(person)])]
}

/** Those of a person's refs that have stored data. Throws if none has. */
export function storedRefs(refs: readonly string[], batch: BatchState): string[] {
  const stored = refs.filter((ref) => batch.humanMarks(ref) !== undefined)
  if (stored.length === 0) throw new AuthorityError('human_unknown')
  return stored
}
