/** What happens, as it happens: the event stream, resumed where it broke, or pages while there is no stream. */
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

/** What could not be read while the service was away is read again when it is back. */
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

/** Ends when the stream cannot be had at all, with the index of the last event. */
async function stream(after: number): Promise<number> {
  let last = after
  try {
    for await (const event of followEvents({ ...connection, fetch: observedFetch }, { after })) {
      last = Number(event.id.slice('evt_'.length))
      // Only texts change, not the shape.
      tellNews([readable(event) as DeputyEvent])
    }
  } catch {
    // Proxies may not pass streams. Pages work through all of them.
  }
  return last
}

/** A connection that opens or fails says whether this page is live. */
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

/** Reads some pages, each of which waits for news; then the stream is tried again. */
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
  // No format was asked for, so these are events of the API.
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
