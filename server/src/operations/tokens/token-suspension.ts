import type { FreezeCommand } from '../../clerk/command.ts'
import type { FreezeOutcome } from '../../clerk/judges/revoke.ts'
import { isoInstant } from '../../domain/time.ts'
import { type OperationCall, type OperationContext, submitCommand } from '../operation-context.ts'

export async function changeTokenSuspension(
  kind: FreezeCommand['kind'],
  call: OperationCall<'suspendToken'> | OperationCall<'resumeToken'>,
  context: OperationContext,
) {
  const { jti } = call.params
  const { changed, at_ms } = await submitCommand<FreezeOutcome>(
    { kind, target: { vat_jti: jti } },
    call,
    context,
  )
  return { jti, suspended: kind === 'suspend', changed, at: isoInstant(at_ms) }
}
