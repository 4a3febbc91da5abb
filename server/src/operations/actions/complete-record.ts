import { type ActionRecord, toMicroUsd } from '@deputize/protocol'
import { evidenceOf } from '../../access/caller.ts'
import type { Handler } from '../operation-context.ts'
import { canonicalDigest, submitCommand } from '../submit-command.ts'
import { metadataText } from './metadata-text.ts'

export const completeRecord: Handler<'completeRecord'> = async (call, context) => {
  const { result, spend_usd, metadata } = call.body
  const result_hash = call.body.result_hash?.toLowerCase()
  return submitCommand<ActionRecord>(
    {
      kind: 'complete',
      aar_id: call.params.id,
      result,
      result_hash,
      spend_micro_usd: spend_usd === undefined ? undefined : toMicroUsd(spend_usd),
      completion: canonicalDigest({ ...call.body, ...(result_hash !== undefined && { result_hash }) }),
      metadata: metadataText(metadata, '/metadata'),
      evidence: evidenceOf(call.caller),
    },
    call,
    context,
  )
}
