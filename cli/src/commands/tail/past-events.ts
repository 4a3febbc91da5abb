import { type Deputy, type DeputyEvent, isDeputyError } from '@deputize/sdk'
import { UsageError } from '../../client/exit.ts'

export interface TailFilter {
  readonly types?: DeputyEvent['type'][]
  readonly agent_id?: string
  readonly provenance_ref?: string
  readonly vat_jti?: string
}

export interface PastEvents {
  readonly events: readonly DeputyEvent[]
  /** Follow from here on. */
  readonly after: number
}

const PAGE_LIMIT = 200
const FIRST_WINDOW = 256
/** At most this many of the newest log entries are searched for past events. */
const LONGEST_WINDOW = 65_536

/** Reads the newest past events. Events are read forward, so it starts further back until there are enough. */
export async function pastEvents(client: Deputy, filter: TailFilter, lines: number): Promise<PastEvents> {
  for (let last = lines === 0 ? 0 : FIRST_WINDOW; ; last *= 4) {
    const found = await newestEvents(client, filter, last)
    // The number of the last entry is below the count, unless a restore has marked it: then LONGEST_WINDOW ends this.
    if (found.events.length >= lines || found.after < last || last >= LONGEST_WINDOW)
      return { events: lines === 0 ? [] : found.events.slice(-lines), after: found.after }
  }
}

/** The events among the `last` newest entries of the log. */
async function newestEvents(client: Deputy, filter: TailFilter, last: number): Promise<PastEvents> {
  const events: DeputyEvent[] = []
  let after = -1
  for await (const page of pages(client, filter, { last })) {
    events.push(...page.events)
    after = page.after
  }
  return { events, after }
}

/** Every event after this number, up to the newest. */
export async function* eventsAfter(
  client: Deputy,
  filter: TailFilter,
  after: number,
): AsyncGenerator<DeputyEvent> {
  for await (const { events } of pages(client, filter, { after })) yield* events
}

async function* pages(
  client: Deputy,
  { types, ...filter }: TailFilter,
  start: { readonly last: number } | { readonly after: number },
): AsyncGenerator<PastEvents> {
  const wanted = { ...filter, ...(types !== undefined && { type: types }), limit: PAGE_LIMIT }
  let page = await client.listEvents({ ...wanted, ...start }).catch(explainOldService)
  for (;;) {
    const after = page.next_cursor
    yield { events: page.data as DeputyEvent[], after } // without `format`, events have their native form
    if (!page.has_more) return
    page = await client.listEvents({ ...wanted, after })
  }
}

function explainOldService(error: unknown): never {
  if (isDeputyError(error) && error.code === 'not_found')
    throw new UsageError(
      'The service is older than this command and has no events. Update the service, or use the deputy command of its version.',
    )
  throw error
}
