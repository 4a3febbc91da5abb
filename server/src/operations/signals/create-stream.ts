import { AuthorityError, MOST_SIGNAL_STREAMS, newId } from '@deputize/protocol'
import { isoInstant } from '../../domain/times/time.ts'
import { STREAM_KIND, SUPPORTED_SIGNALS } from '../../events/signals/stream-document.ts'
import type { Handler } from '../operation-context.ts'
import { withoutReplay } from '../submit-command.ts'
import { pushTarget } from './push-target.ts'
import { pollUrl, putStream, streamView } from './stream-entry.ts'

export const createStream: Handler<'createStream'> = async (call, context) => {
  const { body, caller } = call
  const { reader, clock } = context
  const { tenant_id } = caller
  const known = await reader.registry.list(
    STREAM_KIND,
    { tenant_id },
    { limit: MOST_SIGNAL_STREAMS, before: undefined },
  )
  if (known.entries.length >= MOST_SIGNAL_STREAMS) throw new AuthorityError('stream_limit')
  const push = await pushTarget(body.delivery, context)
  const id = newId('stream', clock())
  const stream = {
    aud: body.aud ?? push?.endpoint_url ?? pollUrl(id, context),
    ...(push !== undefined && { push }),
    events_requested: body.events_requested ?? SUPPORTED_SIGNALS,
    ...(body.description !== undefined && { description: body.description }),
    status: 'enabled',
    excluded: [],
    created_at: isoInstant(clock()),
    created_by: caller.name,
    ...('owner_id' in caller && { first_key_id: caller.owner_id }),
    since: (await reader.log.head()).size,
  } as const
  await putStream({ id, tenant_id }, stream, 'absent', withoutReplay(call), context)
  return streamView(id, stream, context)
}
