import type { FreezeCommand } from '../../clerk/command.ts'
import type { FreezeOutcome } from '../../clerk/judges/revoke.ts'
import { isoInstant } from '../../domain/time.ts'
import { type Call, carryOut, type OperationContext } from '../operation-context.ts'

export async function changeTokenSuspension(
  kind: FreezeCommand['kind'],
  call: Call<'suspendToken'> | Call<'resumeToken'>,
  context: OperationContext,
) {
  const { jti } = call.params
  const { changed, at_ms } = await carryOut<FreezeOutcome>({ kind, target: { vat_jti: jti } }, call, context)
  return { jti, suspended: kind === 'suspend', changed, at: isoInstant(at_ms) }
}
