import type { RefuseTokensOutcome } from '../../clerk/judges/refuse-tokens.ts'
import { isoInstant } from '../../domain/times/time.ts'
import type { OperationContext, UntypedCall } from '../operation-context.ts'
import { submitCommand } from '../submit-command.ts'

/** Sets or lifts the mark on a person. */
export async function changeTokenRefusal(
  human_ref: string,
  refuses: boolean,
  call: UntypedCall,
  context: OperationContext,
) {
  // Uses `many` because answers stored for repeated requests have this form.
  const [reply] = await submitCommand<readonly { readonly outcome: RefuseTokensOutcome }[]>(
    { kind: 'many', items: [{ kind: 'refuse_tokens', human_ref, refuses }] },
    call,
    context,
  )
  if (reply === undefined) throw new Error('a command has a reply')
  const { changed, at_ms } = reply.outcome
  return { human_ref, refuses, changed, at: isoInstant(at_ms) }
}
