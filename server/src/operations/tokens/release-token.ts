import type { ReleaseOutcome } from '../../clerk/judges/release.ts'
import { isoInstant } from '../../domain/times/time.ts'
import { loadChain } from '../loading/load-chain.ts'
import type { Handler } from '../operation-context.ts'
import { assertDesk } from '../safety/safety-desk.ts'
import { newResolutionId, resolutionCommand } from '../safety/safety-notes.ts'
import { submitCommand, withoutReplay } from '../submit-command.ts'

/**
 * Writes the same entries as resolving an alert about coercion, so that readers of the log can't tell them apart. A
 * crash in between leaves a token that is released all the same. Ignores the Idempotency-Key: a second release changes
 * nothing.
 */
export const releaseToken: Handler<'releaseToken'> = async (call, context) => {
  assertDesk(call.caller)
  const { jti } = call.params
  const [{ token }] = await loadChain(jti, context)
  const release = { kind: 'release', vat_jti: jti } as const
  const { changed } = await submitCommand<ReleaseOutcome>(release, withoutReplay(call), context)
  if (changed) {
    const owner = { tenant_id: call.caller.tenant_id, human_ref: token.human_ref }
    const at = isoInstant(context.clock())
    const resolution = { resolves: jti, outcome: 'safe', note: undefined, at } as const
    const command = resolutionCommand(owner, { resolution_id: newResolutionId() }, resolution)
    await submitCommand(command, withoutReplay(call), context)
  }
  return { released: true, jti }
}
