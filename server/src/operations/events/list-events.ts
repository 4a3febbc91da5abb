import { DEFAULT_PAGE, type DeputyEvent } from '@deputize/protocol'
import type { LoggedChange } from '../../events/change.ts'
import { eventView } from '../../events/event-text.ts'
import type { EventInterest } from '../../events/interest.ts'
import type { Handler, OperationCall, OperationContext } from '../operation-context.ts'
import { eventInterest, firstIndex } from './event-interest.ts'

/** How many leaves one page scans. A page may be short although more events follow. */
const MOST_SCANNED = 2_000
const SCANNED_AT_A_TIME = 256
const LOOK_AGAIN_MS = 500

interface FoundEvents {
  readonly changes: readonly LoggedChange[]
  readonly next: number
  readonly has_more: boolean
}

/**
 * Returns a page of events. While there are none, waits until `wait` has passed, the caller has left, or too many other
 * calls wait.
 */
export const listEvents: Handler<'listEvents'> = async (call, context) => {
  const { query, caller } = call
  const { issuer, waits } = context
  const { feed } = context.events
  const { after = -1, last, wait = 0, limit = DEFAULT_PAGE, format = 'deputy' } = query
  const log_size = await feed.size()
  const isFromEnd = query.after === undefined && last !== undefined
  const from = isFromEnd ? Math.max(0, log_size - last) : firstIndex(after, log_size, feed.numbers)
  const interest = await eventInterest(call, context)
  let found = await scan(interest, from, limit, context)
  const isEmpty = found.changes.length === 0 && !found.has_more
  const leave = isEmpty && wait > 0 ? waits.take(caller) : undefined
  if (leave !== undefined) {
    try {
      const next = await waitFor(interest, found.next, call, context)
      await call.assertStillValid()
      // What the caller may see can have changed, too.
      found = await scan(await eventInterest(call, context), next, limit, context)
    } finally {
      leave()
    }
  }
  const events: DeputyEvent[] = []
  for (const change of found.changes) events.push(await change.event())
  return {
    data: events.map((event) => eventView(event, format, issuer)),
    next_cursor: feed.numbers.of(found.next - 1),
    has_more: found.has_more,
  }
}

async function scan(
  interest: EventInterest,
  from: number,
  limit: number,
  { events: { feed } }: OperationContext,
): Promise<FoundEvents> {
  const changes: LoggedChange[] = []
  let next = from
  while (next < from + MOST_SCANNED) {
    const page = await feed.readFor(interest, next, SCANNED_AT_A_TIME)
    const room = limit - changes.length
    changes.push(...page.changes.slice(0, room))
    const last = page.changes.length >= room ? changes.at(-1) : undefined
    next = last === undefined ? page.next : last.log_index + 1
    const has_more = next < page.log_size
    if (last !== undefined || !has_more) return { changes, next, has_more }
  }
  return { changes, next, has_more: true }
}

/** Returns the index of the first event, or where to continue if there is none in time. */
async function waitFor(
  interest: EventInterest,
  from: number,
  { query, hasLeft }: OperationCall<'listEvents'>,
  { events: { feed } }: OperationContext,
): Promise<number> {
  const { wait = 0 } = query
  const subscription = feed.subscribe({ from, interest })
  const over = setTimeout(() => subscription.close(), wait * 1000)
  const left = setInterval(() => hasLeft() && subscription.close(), LOOK_AGAIN_MS)
  let next = from
  try {
    for await (const batch of subscription) {
      const [first] = batch.changes
      if (first !== undefined) return first.log_index
      next = batch.next
    }
    return next
  } finally {
    clearTimeout(over)
    clearInterval(left)
  }
}
