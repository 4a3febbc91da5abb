import { AuthorityError } from '@deputize/protocol'
import type { AnchorNamed, AnchorRemoved } from '@deputize/protocol/trust'
import type { StoredAnchor } from '../../domain/vouch.ts'
import type { BatchState } from '../batch-state.ts'
import type { NameAnchorCommand, RemoveAnchorCommand } from '../command.ts'

/**
 * Names a person as an anchor on behalf of an operator, or changes their base. The reason is sealed for that person.
 */
export function judgeNameAnchor(command: NameAnchorCommand, batch: BatchState): { anchor: StoredAnchor } {
  const { tenant_id, human_ref, base, reason } = command
  if (batch.humanMarks(human_ref) === undefined) throw new AuthorityError('human_unknown')
  const { log_index } = batch.appendLeaf('anchor.named', {
    tenant_id,
    human_ref,
    base,
    reason_digest: batch.digest(human_ref, 'reason', reason),
  } satisfies Omit<AnchorNamed, 'type'>)
  const anchor: StoredAnchor = {
    human_ref,
    tenant_id,
    base,
    reason,
    named_at_ms: batch.now_ms,
    log_index,
    removed_index: undefined,
  }
  batch.trust.saveAnchor(anchor)
  return { anchor }
}

/** Removes an anchor. Changes nothing if the person isn't one. */
export function judgeRemoveAnchor(
  { human_ref }: RemoveAnchorCommand,
  batch: BatchState,
): { readonly removed: boolean } {
  const anchor = batch.trust.anchor(human_ref)
  if (anchor === undefined || anchor.removed_index !== undefined) return { removed: false }
  const { log_index } = batch.appendLeaf('anchor.removed', {
    tenant_id: anchor.tenant_id,
    human_ref,
  } satisfies Omit<AnchorRemoved, 'type'>)
  batch.trust.saveAnchor({ ...anchor, reason: undefined, removed_index: log_index })
  return { removed: true }
}
