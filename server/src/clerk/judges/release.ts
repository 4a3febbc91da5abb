import type { BatchState } from '../batch-state.ts'
import type { ReleaseCommand } from '../command.ts'
import { tokenLeafNames } from './revoke.ts'

export interface ReleaseOutcome {
  /** False if the token was released before, or has no inner limits. */
  readonly changed: boolean
}

/**
 * Releases a token on behalf of the safety desk: from now on its inner limits hold nothing back. The leaf is the same
 * whatever the limits were, so it doesn't reveal why the token was under review, or whether it was.
 */
export function judgeRelease({ vat_jti }: ReleaseCommand, batch: BatchState): ReleaseOutcome {
  const chain = batch.requireChain(vat_jti)
  const [link] = chain
  const { token, state } = link
  if (token.inner_limits === undefined || state.released_at_ms !== undefined) return { changed: false }
  state.released_at_ms = batch.now_ms
  batch.saveStates([link])
  batch.appendLeaf('token.released', tokenLeafNames(chain), chain[0].token.jti)
  return { changed: true }
}
