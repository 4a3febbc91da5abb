import type { StreamDocument } from '../../events/signals/stream-document.ts'
import type { Handler, OperationContext } from '../operation-context.ts'
import { loadStream } from './stream-entry.ts'

export const getStreamStatus: Handler<'getStreamStatus'> = async ({ caller, query }, context) => {
  const { stream } = await loadStream(query.stream_id, caller, context)
  return streamStatusView(query.stream_id, stream, context)
}

const STOPPED = {
  failing: 'The receiver accepted nothing for three days.',
  gone: 'The receiver answered 410.',
  key_deleted: 'The key that created it was deleted.',
} as const

/**
 * Returns the status of a stream. A stream whose receiver stopped accepting SETs is paused, and continues where it
 * stopped once it is enabled again.
 */
export async function streamStatusView(
  stream_id: string,
  { push, status, reason }: StreamDocument,
  { events: { deliveries } }: OperationContext,
) {
  const state = push === undefined ? undefined : await deliveries.store.state(stream_id)
  if (status === 'enabled' && state?.disabled !== undefined)
    return { stream_id, status: 'paused', reason: STOPPED[state.disabled.reason] } as const
  return { stream_id, status, ...(reason !== undefined && { reason }) }
}
