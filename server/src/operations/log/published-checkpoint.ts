import { AuthorityError } from '@deputize/protocol'
import type { StoredCheckpoint } from '../../store/port/log-reader.ts'
import type { OperationContext } from '../operation-context.ts'

/** Returns the newest published checkpoint, or throws `checkpoint_pending` before the first. */
export function publishedCheckpoint({ log: { checkpointSigner } }: OperationContext): StoredCheckpoint {
  const checkpoint = checkpointSigner.published()
  if (checkpoint === undefined) throw new AuthorityError('checkpoint_pending')
  return checkpoint
}
