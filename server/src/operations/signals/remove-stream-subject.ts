import { invalidField } from '@deputize/protocol'
import type { Handler } from '../operation-context.ts'
import { namedSubject } from './named-subject.ts'
import { loadStream, putStream } from './stream-entry.ts'

const MOST_EXCLUDED = 1_000

export const removeStreamSubject: Handler<'removeStreamSubject'> = async (call, context) => {
  const { stream_id, subject } = call.body
  const { entry, stream } = await loadStream(stream_id, call.caller, context)
  const key = namedSubject(subject)
  if (stream.excluded.includes(key)) return {}
  if (stream.excluded.length >= MOST_EXCLUDED)
    throw invalidField('/subject', `is one too many: a stream can leave out ${MOST_EXCLUDED} subjects`)
  await putStream(entry, { ...stream, excluded: [...stream.excluded, key] }, entry.log_index, call, context)
  return {}
}
