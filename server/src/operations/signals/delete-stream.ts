import type { Handler } from '../operation-context.ts'
import { forgetStreamCursor } from './stream-cursor.ts'
import { loadStream, putStream } from './stream-entry.ts'

export const deleteStream: Handler<'deleteStream'> = async (call, context) => {
  const { stream_id } = call.query
  const { entry } = await loadStream(stream_id, call.caller, context)
  await putStream(entry, undefined, entry.log_index, call, context)
  await forgetStreamCursor(stream_id, context)
  await context.events.deliveries.store.remove(stream_id)
  return { deleted: true, stream_id }
}
