import type { Caller } from '../../access/caller.ts'
import type { CredentialWatch } from '../../events/thread/credential-watch.ts'
import type { StreamOrder } from '../../events/thread/messages.ts'
import type { OperationCall, OperationContext } from '../operation-context.ts'
import { eventInterest, firstIndex } from './event-interest.ts'

/** A stream of events that may be opened. */
export interface EventStream {
  readonly order: StreamOrder
  /** Call when the stream has ended. */
  end(): void
}

/** Prepares the stream of a call. What the client saw last, in the header, counts more than what the address says. */
export async function prepareEventStream(
  call: OperationCall<'listEvents'>,
  last_event_id: number | undefined,
  context: OperationContext,
): Promise<EventStream> {
  const { caller, query } = call
  const { feed, streams, issuer } = context
  const end = streams.begin(caller)
  try {
    const log_size = await feed.size()
    const order = {
      from: firstWanted(query.after, last_event_id, log_size),
      log_size,
      interest: await eventInterest(call, context),
      watch: watchFor(caller),
      format: query.format ?? 'deputy',
      source: issuer,
    }
    return { order, end }
  } catch (error) {
    end()
    throw error
  }
}

function firstWanted(after: number | undefined, last_event_id: number | undefined, log_size: number): number {
  if (last_event_id !== undefined) return firstIndex(last_event_id, log_size, 'Last-Event-ID')
  if (after === undefined) return log_size
  return after === -1 ? 0 : firstIndex(after, log_size)
}

/** Whose credential has to be verified again when the log tells of a change. */
function watchFor(caller: Caller): CredentialWatch | undefined {
  switch (caller.role) {
    case 'local':
    case 'public':
      return undefined
    case 'human':
      return { of: 'person', human_refs: caller.human_refs }
    case 'agent':
      return { of: 'agent' }
    default:
      return { of: 'key', tenant_id: caller.tenant_id }
  }
}
