import type { Handler } from '../operation-context.ts'
import { submitDecision } from './approval-decision.ts'
import { assertFace } from './assert-face.ts'

export const approve: Handler<'approve'> = async (call, context) => {
  const { verification_id, ...stated } = call.body
  const decision = { decision: 'approved', ...stated } as const
  await assertFace({ approval_id: call.params.id, verification_id, ...decision }, call.caller, context)
  return submitDecision(decision, call, context)
}
