import type { Caller } from '../../access/caller.ts'
import type { Subscriber } from '../../events/audience.ts'
import type { EventNumbers } from '../../events/event-numbers.ts'
import type { CredentialWatch } from '../../events/thread/credential-watch.ts'
import type { StreamOrder } from '../../events/thread/messages.ts'
import type { OperationCall, OperationContext } from '../operation-context.ts'
import { isReviewer } from '../questions/approver-roles.ts'
import { eventInterest, firstIndex } from './event-interest.ts'

/** A stream of events that may be opened. */
export interface EventStream {
  readonly order: StreamOrder
  /** Whether the client may still see everything it could see when the stream began. */
  isEntitled(): Promise<boolean>
  /** Call when the stream has ended. */
  end(): void
}

/** Prepares the stream of a call. The last event ID in the header takes precedence over the query. */
export async function prepareEventStream(
  call: OperationCall<'listEvents'>,
  last_event_id: number | undefined,
  context: OperationContext,
): Promise<EventStream> {
  const { caller, query } = call
  const { issuer } = context
  const { feed, streams } = context.events
  const end = streams.begin(caller)
  try {
    const log_size = await feed.size()
    const interest = await eventInterest(call, context)
    const { subscriber } = interest
    const order = {
      from: firstWanted(query, last_event_id, log_size, feed.numbers),
      log_size,
      interest,
      watch: watchFor(caller, subscriber),
      format: query.format ?? 'deputy',
      source: issuer,
    }
    return { order, isEntitled: () => isEntitled(subscriber, context), end }
  } catch (error) {
    end()
    throw error
  }
}

function firstWanted(
  { after, last = 0 }: OperationCall<'listEvents'>['query'],
  last_event_id: number | undefined,
  log_size: number,
  numbers: EventNumbers,
): number {
  if (last_event_id !== undefined) return firstIndex(last_event_id, log_size, numbers, 'Last-Event-ID')
  return after === undefined ? Math.max(0, log_size - last) : firstIndex(after, log_size, numbers)
}

/** Returns whose credential must be verified again when the log shows a relevant change. */
function watchFor(caller: Caller, subscriber: Subscriber): CredentialWatch | undefined {
  switch (caller.role) {
    case 'local':
    case 'public':
      return undefined
    case 'human':
      return {
        of: 'person',
        human_refs: caller.human_refs,
        reviews: isReviewing(subscriber) ? caller.tenant_id : undefined,
      }
    case 'agent':
      return { of: 'agent' }
    default:
      return { of: 'key', tenant_id: caller.tenant_id }
  }
}

function isReviewing(subscriber: Subscriber): subscriber is Extract<Subscriber, { role: 'human' }> {
  return subscriber.role === 'human' && subscriber.is_reviewer
}

/** False once a reviewer was removed. This stream then ends, and the next one has only the person's own events. */
async function isEntitled(subscriber: Subscriber, context: OperationContext): Promise<boolean> {
  if (!isReviewing(subscriber)) return true
  context.accessControl.tenants.forget(subscriber.tenant_id) // another node may have changed them
  return isReviewer(subscriber, context)
}
