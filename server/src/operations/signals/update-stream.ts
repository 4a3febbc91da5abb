import { invalidField } from '@deputize/protocol'
import type { Handler } from '../operation-context.ts'
import { pushTarget } from './push-target.ts'
import { loadStream, putStream, streamView } from './stream-entry.ts'

export const updateStream: Handler<'updateStream'> = async (call, context) => {
  const { stream_id, delivery, events_requested, description } = call.body
  const { entry, stream } = await loadStream(stream_id, call.caller, context)
  const push = delivery === undefined ? stream.push : await pushTarget(delivery, context)
  if ((push === undefined) !== (stream.push === undefined))
    throw invalidField('/delivery/method', 'cannot be changed: create another stream')
  const changed = {
    ...stream,
    ...(push !== undefined && { push }),
    ...(events_requested !== undefined && { events_requested }),
    ...(description !== undefined && { description }),
  }
  await putStream(entry, changed, entry.log_index, call, context)
  return streamView(stream_id, changed, context)
}
