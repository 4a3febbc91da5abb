import type { Handler } from '../operation-context.ts'
import { namedSubject } from './named-subject.ts'
import { loadStream, putStream } from './stream-entry.ts'

export const addStreamSubject: Handler<'addStreamSubject'> = async (call, context) => {
  const { stream_id, subject } = call.body
  const { entry, stream } = await loadStream(stream_id, call.caller, context)
  const key = namedSubject(subject)
  if (!stream.excluded.includes(key)) return {}
  const excluded = stream.excluded.filter((one) => one !== key)
  await putStream(entry, { ...stream, excluded }, entry.log_index, call, context)
  return {}
}
