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
/** Beyond so many entries of the log, past events are not looked for. */
const LONGEST_WINDOW = 65_536

/** The newest past events. Events are read forwards, so it looks further back until there are enough. */
export async function pastEvents(client: Deputy, filter: TailFilter, lines: number): Promise<PastEvents> {
  const size = await loggedSize(client)
  for (let window = lines === 0 ? 0 : FIRST_WINDOW; ; window *= 4) {
    const from = Math.max(0, size - window)
    const found = await eventsFrom(client, filter, from - 1)
    if (found.events.length >= lines || from === 0 || window >= LONGEST_WINDOW)
      return { events: lines === 0 ? [] : found.events.slice(-lines), after: found.after }
  }
}

async function eventsFrom(
  client: Deputy,
  { types, ...filter }: TailFilter,
  start: number,
): Promise<PastEvents> {
  const events: DeputyEvent[] = []
  for (let after = start; ; ) {
    const page = await client
      .listEvents({ ...filter, ...(types !== undefined && { type: types }), after, limit: PAGE_LIMIT })
      .catch(explainOldService)
    // Without a format, events come in their own form.
    events.push(...(page.data as DeputyEvent[]))
    after = page.next_cursor
    if (!page.has_more) return { events, after }
  }
}

function explainOldService(error: unknown): never {
  if (isDeputyError(error) && error.code === 'not_found')
    throw new UsageError(
      'The service is older than this command and has no events. Update the service, or use the deputy command of its version.',
    )
  throw error
}

/** The newest checkpoint is about a second behind the log. What came since is read forwards. */
async function loggedSize(client: Deputy): Promise<number> {
  const { data } = await client.listCheckpoints({ limit: 1 })
  return data[0]?.size ?? 0
}
