import { newSuffix, toMicroUsd } from '@deputize/protocol'
import { evidenceOf } from '../../access/caller.ts'
import type { AuthorizationCommand, AuthorizeCommand, RecordActionCommand } from '../../clerk/command.ts'
import type { CallEnvelope, OperationCall, OperationContext } from '../operation-context.ts'
import { metadataText } from './metadata-text.ts'

/** Builds the command of one `authorize`. `pointer` leads to its body if that is part of a larger one. */
export function authorizeCommand(
  body: OperationCall<'authorize'>['body'],
  envelope: CallEnvelope,
  context: OperationContext,
  pointer = '',
): AuthorizeCommand {
  return {
    kind: 'authorize',
    ...sharedMembers(body, envelope, context, pointer),
    dry_run: body.dry_run ?? false,
    pending_ttl_ms: context.pending_ttl_ms,
  }
}

/** Builds the command of one `recordAction`. `pointer` leads to its body if that is part of a larger one. */
export function recordActionCommand(
  body: OperationCall<'recordAction'>['body'],
  envelope: CallEnvelope,
  context: OperationContext,
  pointer = '',
): RecordActionCommand {
  return {
    kind: 'record_action',
    ...sharedMembers(body, envelope, context, pointer),
    result: body.result,
    result_hash: body.result_hash?.toLowerCase(),
  }
}

function sharedMembers(
  body: Omit<OperationCall<'authorize'>['body'], 'dry_run'>,
  { caller, trace_id }: CallEnvelope,
  { clock, approval_ttl_ms }: OperationContext,
  pointer: string,
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
