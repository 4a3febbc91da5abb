import type { ResumeCommand, SuspendCommand } from '../../clerk/command.ts'
import type { FreezeOutcome } from '../../clerk/judges/suspend.ts'
import { isoInstant } from '../../domain/times/time.ts'
import type { OperationContext, UntypedCall } from '../operation-context.ts'
import { submitCommand } from '../submit-command.ts'

/** Submits a suspension or a resumption of a token, and builds the answer. */
export async function changeTokenSuspension(
  jti: string,
  command: SuspendCommand | ResumeCommand,
  call: UntypedCall,
  context: OperationContext,
) {
  const { at_ms, ...outcome } = await submitCommand<FreezeOutcome>(command, call, context)
  return { jti, suspended: command.kind === 'suspend', ...outcome, at: isoInstant(at_ms) }
}
