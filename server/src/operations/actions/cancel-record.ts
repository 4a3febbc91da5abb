import type { ActionRecord } from '@deputize/protocol'
import { evidenceOf } from '../../access/caller.ts'
import { type Handler, submitCommand } from '../operation-context.ts'

export const cancelRecord: Handler<'cancelRecord'> = async (call, context) =>
  submitCommand<ActionRecord>(
    { kind: 'cancel', aar_id: call.params.id, evidence: evidenceOf(call.caller) },
    call,
    context,
  )
