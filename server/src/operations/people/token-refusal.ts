import type { Caller } from '../../access/caller.ts'
import type { RefuseTokensCommand } from '../../clerk/command.ts'
import type { RefuseTokensOutcome } from '../../clerk/judges/refuse-tokens.ts'
import { isoInstant } from '../../domain/time.ts'
import { type OperationContext, submitCommand, type UntypedCall } from '../operation-context.ts'
import { refsOf } from '../proven-person.ts'

/** Sets or lifts the mark on every ref of a person, so that no other ref stays open. */
export async function changeTokenRefusal(
  human_ref: string,
  refuses: boolean,
  call: UntypedCall,
  context: OperationContext,
) {
  const items = await refusalsOf(human_ref, refuses, call.caller, context)
  const replies = await submitCommand<readonly { readonly outcome: RefuseTokensOutcome }[]>(
    { kind: 'many', items },
    call,
    context,
  )
  const outcomes = replies.map(({ outcome }) => outcome)
  const [first] = outcomes
  if (first === undefined) throw new Error('a person has at least one ref')
  return {
    human_ref,
    refuses,
    changed: outcomes.some(({ changed }) => changed),
    at: isoInstant(first.at_ms),
  }
}

/** One command for each ref of the person, the given one first. */
export async function refusalsOf(
  human_ref: string,
  refuses: boolean,
  caller: Caller,
  context: OperationContext,
): Promise<RefuseTokensCommand[]> {
  const others =
    caller.role === 'human'
      ? caller.human_refs
      : await refsOf({ tenant_id: caller.tenant_id, human_ref }, context)
  const refs = [...new Set([human_ref, ...others])]
  return refs.map((ref) => ({ kind: 'refuse_tokens', human_ref: ref, refuses }))
}
