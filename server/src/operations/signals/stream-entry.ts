import {
  AuthorityError,
  canonicalJson,
  MIN_VERIFICATION_INTERVAL_S,
  OPERATIONS,
  POLL_DELIVERY,
  PUSH_DELIVERY,
  SET_TYP,
  type SignalStream,
} from '@deputize/protocol'
import { actorOf, type Caller } from '../../access/caller.ts'
import type { RegisterOutcome } from '../../clerk/judges/register.ts'
import type { SetClaims } from '../../events/signals/security-event-token.ts'
import {
  eventsDelivered,
  STREAM_KIND,
  type StreamDocument,
  SUPPORTED_SIGNALS,
  streamIn,
} from '../../events/signals/stream-document.ts'
import type { KeptEntry } from '../../store/port/registry.ts'
import type { OperationContext, UntypedCall } from '../operation-context.ts'
import { signedStatement } from '../signed-statement.ts'
import { submitCommand } from '../submit-command.ts'

export interface StreamEntry {
  readonly entry: KeptEntry
  readonly stream: StreamDocument
}

/**
 * Returns a stream that the caller may use, or throws `stream_unknown`. Operators of its tenant may use it, and the
 * resource server that it is for.
 */
export async function loadStream(
  stream_id: string,
  caller: Caller,
  { reader }: OperationContext,
): Promise<StreamEntry> {
  const entry = await reader.registry.entry(STREAM_KIND, stream_id)
  if (entry?.document === undefined || entry.tenant_id !== caller.tenant_id)
    throw new AuthorityError('stream_unknown')
  const stream = streamIn(entry.document)
  if (caller.role === 'resource_server' && caller.audience !== stream.aud)
    throw new AuthorityError('stream_unknown')
  return { entry: { ...entry, document: entry.document }, stream }
}

/** Creates, changes or, if `stream` is undefined, removes a stream. Push delivery follows immediately. */
export async function putStream(
  { id, tenant_id }: Pick<KeptEntry, 'id' | 'tenant_id'>,
  stream: StreamDocument | undefined,
  expects: number | 'absent',
  call: UntypedCall,
  context: OperationContext,
): Promise<void> {
  const document = stream === undefined ? undefined : canonicalJson(stream)
  const by = actorOf(call.caller)
  await submitCommand<RegisterOutcome>(
    { kind: 'register', entry_kind: STREAM_KIND, id, tenant_id, owner: undefined, document, expects, by },
    call,
    context,
  )
  await context.events.deliveries.changed()
}

export function streamView(
  stream_id: string,
  stream: StreamDocument,
  context: OperationContext,
): SignalStream {
  const { description, created_by } = stream
  return {
    stream_id,
    iss: context.issuer,
    aud: stream.aud,
    delivery: deliveryView(stream_id, stream, context),
    events_supported: [...SUPPORTED_SIGNALS],
    events_requested: [...stream.events_requested],
    events_delivered: eventsDelivered(stream),
    ...(stream.push !== undefined && { min_verification_interval: MIN_VERIFICATION_INTERVAL_S }),
    ...(description !== undefined && { description }),
    created_at: stream.created_at,
    ...(created_by !== undefined && { created_by }),
  }
}

function deliveryView(
  stream_id: string,
  { push }: StreamDocument,
  context: OperationContext,
): SignalStream['delivery'] {
  return push === undefined
    ? { method: POLL_DELIVERY, endpoint_url: pollUrl(stream_id, context) }
    : { method: PUSH_DELIVERY, endpoint_url: push.endpoint_url }
}

export function pollUrl(stream_id: string, { public_url }: OperationContext): string {
  return `${public_url()}${OPERATIONS.pollStream.path.replace('{stream_id}', stream_id)}`
}

/** Returns a signed security event token (RFC 8417). */
export function signedSet(claims: SetClaims, context: OperationContext): Promise<string> {
  return signedStatement(SET_TYP, 'statements', claims, context)
}
