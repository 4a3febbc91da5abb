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
  for (let last = lines === 0 ? 0 : FIRST_WINDOW; ; last *= 4) {
    const found = await newestEvents(client, filter, last)
    // The number of the last entry is below its count, unless a restore has marked it: then the longest window ends this.
    if (found.events.length >= lines || found.after < last || last >= LONGEST_WINDOW)
      return { events: lines === 0 ? [] : found.events.slice(-lines), after: found.after }
  }
}

/** The events among so many newest entries of the log. */
async function newestEvents(
  client: Deputy,
  { types, ...filter }: TailFilter,
  last: number,
): Promise<PastEvents> {
  const events: DeputyEvent[] = []
  const wanted = { ...filter, ...(types !== undefined && { type: types }), limit: PAGE_LIMIT }
  let page = await client.listEvents({ ...wanted, last }).catch(explainOldService)
  for (;;) {
    // Without a format, events come in their own form.
    events.push(...(page.data as DeputyEvent[]))
    const after = page.next_cursor
    if (!page.has_more) return { events, after }
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
