import type { RevokeAllOutcome } from '../../clerk/judges/revoke.ts'
import { isoInstant } from '../../domain/times/time.ts'
import { endHeldKeys } from '../identity/held-key.ts'
import type { Handler } from '../operation-context.ts'
import { submitCommand, withoutReplay } from '../submit-command.ts'
import { changeTokenRefusal } from './token-refusal.ts'

export const revokeHuman: Handler<'revokeHuman'> = async (call, context) => {
  const { human_ref, reason, refuse_new = false } = call.body
  // The mark is set first: a crash in between leaves a person whose tokens aren't revoked yet, but who gets no new
  // ones.
  if (refuse_new) await changeTokenRefusal(human_ref, true, withoutReplay(call), context)
  const {
    revoked_at_ms,
    revoked_count,
    human_refs = [human_ref],
  } = await submitCommand<RevokeAllOutcome>(
    { kind: 'revoke_all', owner: { human_ref }, reason },
    call,
    context,
  )
  // An operator stops a person whose account may be in other hands. People who stop their own agents stay signed in.
  if (call.caller.role === 'operator') {
    for (const ref of human_refs) await context.accessControl.sessions.endOthers(ref)
    await endHeldKeys(human_refs, call.caller, context)
  }
  return { revoked: true, revoked_at: isoInstant(revoked_at_ms), revoked_count, human_ref }
}
