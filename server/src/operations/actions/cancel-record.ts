import type { ActionRecord } from '@deputize/protocol'
import { evidenceOf } from '../../access/caller.ts'
import type { Handler } from '../operation-context.ts'
import { submitCommand } from '../submit-command.ts'

export const cancelRecord: Handler<'cancelRecord'> = async (call, context) =>
  submitCommand<ActionRecord>(
    { kind: 'cancel', aar_id: call.params.id, evidence: evidenceOf(call.caller) },
    call,
    context,
  )
