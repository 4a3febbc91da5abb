import { AuthorityError } from '@deputize/protocol'
import { isoInstant } from '../../domain/times/time.ts'
import type { BatchState } from '../batch-state.ts'
import type { KeyRotatedCommand, KeyWithdrawnCommand } from '../command.ts'

/** Records in the log that other keys sign from now on. `kid` is the key for tokens. */
export function judgeKeyRotated({ kids, ready_ms }: KeyRotatedCommand, batch: BatchState) {
  if (batch.now_ms < ready_ms) throw rotationTooSoon(isoInstant(ready_ms))
  const { tokens: kid, status_lists: status_lists_kid, statements: statements_kid } = kids
  return {
    kid,
    log_index: batch.appendLeaf('key.rotated', { kid, status_lists_kid, statements_kid }).log_index,
  }
}

function rotationTooSoon(ready_at: string): AuthorityError {
  return new AuthorityError(
    'rotation_too_soon',
    `Verifiers may not have fetched the next key yet. Rotate at ${ready_at} or later. If the active key was stolen, withdraw it: the next key then signs at once.`,
    { ready_at },
  )
}

/** Records in the log that a key was stolen. Verifiers read it in the revocation feed. */
export function judgeKeyWithdrawn({ kid, from, reason }: KeyWithdrawnCommand, batch: BatchState) {
  const { log_index } = batch.appendLeaf('key.withdrawn', {
    kid,
    from,
    ...(reason !== undefined && { reason_digest: batch.digest(undefined, 'reason', reason) }),
  })
  return { log_index }
}
