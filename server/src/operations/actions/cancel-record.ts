import type { ActionRecord } from '@deputize/protocol'
import { evidenceOf } from '../../access/caller.ts'
import { carryOut, type Handler } from '../operation-context.ts'

export const cancelRecord: Handler<'cancelRecord'> = async (call, context) =>
  carryOut<ActionRecord>(
    { kind: 'cancel', aar_id: call.params.id, evidence: evidenceOf(call.caller) },
    call,
    context,
  )
