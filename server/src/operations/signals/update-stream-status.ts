import type { Handler, OperationContext } from '../operation-context.ts'
import { streamStatusView } from './get-stream-status.ts'
import { loadStream, putStream } from './stream-entry.ts'

export const updateStreamStatus: Handler<'updateStreamStatus'> = async (call, context) => {
  const { stream_id, status, reason } = call.body
  const { entry, stream } = await loadStream(stream_id, call.caller, context)
  const { reason: _, ...kept } = stream
  // Events that occurred while the stream was disabled aren't sent.
  const since = stream.status === 'disabled' ? (await context.reader.log.head()).size : stream.since
  const changed = { ...kept, status, since, ...(reason !== undefined && { reason }) }
  await putStream(entry, changed, entry.log_index, call, context)
  if (status === 'enabled' && stream.push !== undefined) await sendWhatWaits(stream_id, context)
  return streamStatusView(stream_id, changed, context)
}

async function sendWhatWaits(stream_id: string, { events: { deliveries } }: OperationContext): Promise<void> {
  await deliveries.store.enable(stream_id)
  await deliveries.changed()
}
