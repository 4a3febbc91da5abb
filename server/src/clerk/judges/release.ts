import { type Chain, renewalViews } from '../../domain/tokens/token.ts'
import type { BatchState } from '../batch-state.ts'
import type { ReleaseCommand } from '../command.ts'
import { tokenLeafNames } from './revoke.ts'

export interface ReleaseOutcome {
  /** False if the token and those that it renews were released before, or have no inner limits. */
  readonly changed: boolean
}

/**
 * Releases a token with those that it renews on behalf of the safety desk: from now on their inner limits hold nothing
 * back. A renewal's own limits never do, so releasing it alone would change nothing. The leaves are the same whatever
 * the limits were, so they don't reveal why the token was under review, or whether it was.
 */
export function judgeRelease({ vat_jti }: ReleaseCommand, batch: BatchState): ReleaseOutcome {
  const limited = renewalViews(batch.requireChain(vat_jti)).filter(
    ([{ token, state }]) => token.inner_limits !== undefined && state.released_at_ms === undefined,
  )
  for (const view of limited) releaseLink(view, batch)
  return { changed: limited.length > 0 }
}

function releaseLink(chain: Chain, batch: BatchState): void {
  const [link] = chain
  link.state.released_at_ms = batch.now_ms
  batch.saveStates([link])
  batch.appendLeaf('token.released', tokenLeafNames(chain), link.token.jti)
}
