import { newSuffix, toMicroUsd } from '@deputize/protocol'
import { evidenceOf } from '../access/caller.ts'
import type { AuthorizationCommand } from '../clerk/command.ts'
import { metadataText } from './metadata.ts'
import type { Call, CallEnvelope, OperationContext } from './operation-context.ts'

type AskBody = Omit<Call<'authorize'>['body'], 'dry_run'>

/** What authorize and record/action have in common. `pointer` leads to the body inside a batch. */
export function askCommand(
  body: AskBody,
  pointer: string,
  { caller, trace_id }: CallEnvelope,
  { clock, approval_ttl_ms }: OperationContext,
): AuthorizationCommand {
  return {
    suffix: newSuffix(clock()),
    vat_jti: body.vat_jti,
    action: body.action,
    resource: body.resource,
    spend_micro_usd: toMicroUsd(body.spend_usd ?? 0),
    parent_aar_id: body.parent_aar_id,
    trace_id,
    approval_id: body.approval_id,
    approval_ttl_ms,
    evidence: evidenceOf(caller),
    metadata: metadataText(body.metadata, `${pointer}/metadata`),
  }
}
