/** Events as they occur: the event stream, resumed where it broke, or pages while there is no stream. */
import { signal } from '@preact/signals'
import { followEvents } from '../../../sdk/node/src/calls/events.ts'
import { pause } from '../../../sdk/node/src/calls/request.ts'
import type { DeputyEvent } from '../../../sdk/node/src/generated/operations.ts'
import { callService, connection, readable } from '../api/client.ts'
import { renewName } from './agent-names.ts'
import { notify } from './notices.ts'
import { beat, startPulse } from './pulse.ts'

/** Newest first. */
export const feed = signal<readonly DeputyEvent[]>([])

export type LiveState = 'starting' | 'live' | 'polling' | 'offline'
export const liveState = signal<LiveState>('starting')

/** Sets the state. If the service was unreachable before, screens read again what they couldn't. */
function nowLive(state: 'live' | 'polling'): void {
  if (liveState.value === 'offline') beat()
  liveState.value = state
}

const KEPT_EVENTS = 400
const FIRST_EVENTS = 100
const POLL_WAIT_S = 20
const RETRY_MS = 3000

/** Follows events until the page is closed. */
export async function startFeed(): Promise<void> {
  startPulse()
  let after = await recentEvents()
  for (;;) {
    after = await stream(after)
    after = await poll(after)
  }
}

/** Reads the newest events. Returns the index of the last one. */
async function recentEvents(): Promise<number> {
  for (;;) {
    try {
      const { data, next_cursor } = await newestEvents()
      add(data)
      return next_cursor
    } catch {
      liveState.value = 'offline'
      await pause(RETRY_MS, undefined)
    }
  }
}

/** Resolves with the index of the last event once no stream can be opened. */
async function stream(after: number): Promise<number> {
  let last = after
  try {
    for await (const event of followEvents({ ...connection, fetch: observedFetch }, { after })) {
      last = Number(event.id.slice('evt_'.length))
      // `readable` changes only texts, not the shape.
      tellNews([readable(event) as DeputyEvent])
    }
  } catch {
    // Some proxies don't pass streams. Pages work through all proxies.
  }
  return last
}

/** Updates whether this page is live when a connection opens or fails. */
const observedFetch: typeof fetch = async (...request) => {
  try {
    const response = await fetch(...request)
    nowLive(response.ok ? 'live' : 'polling')
    return response
  } catch (error) {
    liveState.value = 'offline'
    throw error
  }
}

/** Reads some pages, each of which waits for new events. After that, the caller tries the stream again. */
async function poll(after: number): Promise<number> {
  let last = after
  for (let turn = 0; turn < 10; turn += 1) {
    try {
      const { data, next_cursor } = await eventsAfter(last, POLL_WAIT_S)
      tellNews(data)
      last = next_cursor
      nowLive('polling')
    } catch {
      liveState.value = 'offline'
      await pause(RETRY_MS, undefined)
    }
  }
  return last
}

function newestEvents() {
  return eventPage({ last: FIRST_EVENTS })
}

function eventsAfter(after: number, wait: number) {
  return eventPage({ after, wait })
}

async function eventPage(place: { last: number } | { after: number; wait: number }) {
  const { data, next_cursor } = await callService('listEvents', { ...place, limit: FIRST_EVENTS })
  // Without `format`, these are events of the API.
  return { data: data as DeputyEvent[], next_cursor }
}

function tellNews(events: readonly DeputyEvent[]): void {
  add(events)
  void notify(events, feed.value)
}

function add(events: readonly DeputyEvent[]): void {
  if (events.length === 0) return
  for (const event of events) if (event.type === 'agent.registered') renewName(event.data.agent_id)
  feed.value = [...[...events].reverse(), ...feed.value].slice(0, KEPT_EVENTS)
  beat()
}
