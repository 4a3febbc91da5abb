import { STREAM_KIND, streamIn } from '../../events/signals/stream-document.ts'
import type { Handler } from '../operation-context.ts'
import { loadStream, streamView } from './stream-entry.ts'

export const readStreams: Handler<'readStreams'> = async ({ caller, query }, context) => {
  if (query.stream_id !== undefined) {
    const { stream } = await loadStream(query.stream_id, caller, context)
    return streamView(query.stream_id, stream, context)
  }
  const page = { limit: 200, before: undefined }
  const { entries } = await context.reader.registry.list(STREAM_KIND, { tenant_id: caller.tenant_id }, page)
  return entries.map(({ id, document }) => streamView(id, streamIn(document), context))
}
