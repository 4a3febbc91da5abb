import type { BatchState } from '../batch-state.ts'
import type { RestoredCommand } from '../command.ts'

/** Marks in the log where a backup ends. Readers of the log see what may be missing before this leaf. */
export function judgeRestored(
  { backed_up_at, origin, continues, newest_size }: RestoredCommand,
  batch: BatchState,
): { readonly log_index: number } {
  const { log_index } = batch.appendLeaf('deployment.restored', {
    backed_up_at,
    origin,
    continues,
    ...(newest_size !== undefined && { newest_size }),
  })
  return { log_index }
}
