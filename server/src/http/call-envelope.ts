import type { OperationId } from '@deputize/protocol'
import type { CallEnvelope, OperationContext } from '../operations/operation-context.ts'
import type { AnswerHeaders, ArrivedRequest } from './arrived-request.ts'
import { sessionCookie } from './guard/cookies.ts'
import { traceId } from './trace-id.ts'

/** Returns what an operation learns about its call apart from the input and from what each path determines itself. */
export function callEnvelope(
  operation_id: OperationId,
  request: ArrivedRequest,
  answer: AnswerHeaders,
  { accessControl: { keyed }, public_url }: OperationContext,
): Omit<CallEnvelope, 'stepped_up' | 'idempotency_key'> {
  const { dpop, host } = request.headers
  const { caller, credentials } = request
  return {
    caller,
    origin: keyed === undefined ? `http://${host}` : public_url(), // open mode has checked the host
    operation_id,
    trace_id: traceId(request),
    proof: typeof dpop === 'string' ? dpop : undefined,
    hasLeft: () => request.socket.destroyed,
    async assertStillValid() {
      if (credentials !== undefined) await keyed?.assertStillValid(caller, credentials)
    },
    onReplay: () => answer.header('idempotency-replayed', 'true'),
    onSession: (secret) => answer.header('set-cookie', sessionCookie(secret, public_url())),
  }
}
