/** Events as they occur: the event stream, resumed where it broke, or pages while there is no stream. */
import { signal } from '@preact/signals'
import { followEvents } from '../../../sdk/node/src/calls/events.ts'
import { pause } from '../../../sdk/node/src/calls/request.ts'
import type { DeputyEvent } from '../../../sdk/node/src/generated/operations.ts'
import { turnToFollow } from '../../live/turn-to-follow.ts'
import { connection, readable } from '../api/ask-once.ts'
import { callService } from '../api/client.ts'
import { renewName } from './agent-names.ts'
import { noticeState, notify } from './notices.ts'
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
/** After a longer pause, events are no news: another tab may have shown their notices. */
const NEWS_MS = 10_000

/** Follows events until the page is closed, whenever it is this page's turn. */
export async function startFeed(): Promise<void> {
  startPulse()
  let after = await recentEvents()
  let paused_at = performance.now()
  for (;;) {
    // Hidden pages show nothing but notices.
    const turn = await turnToFollow('notices', () => noticeState.value === 'on')
    if (performance.now() - paused_at > NEWS_MS) after = await missedEvents(after, turn)
    while (!turn.aborted) {
      after = await stream(after, turn)
      after = await poll(after, turn)
    }
    paused_at = performance.now()
  }
}

/** Reads the events of a pause. Returns the index of the last one. */
async function missedEvents(after: number, turn: AbortSignal): Promise<number> {
  let last = after
  for (let read = 0; read < KEPT_EVENTS && !turn.aborted; read += FIRST_EVENTS) {
    try {
      const { data, next_cursor, has_more } = await eventPage({ after: last }, turn)
      add(data)
      last = next_cursor
      if (!has_more) return last
    } catch {
      await retryLater(turn)
    }
  }
  if (turn.aborted) return last
  // There are more than the feed keeps.
  return recentEvents()
}

/** Starts the feed with the newest events. Returns the index of the last one. */
async function recentEvents(): Promise<number> {
  for (;;) {
    try {
      const { data, next_cursor } = await eventPage({ last: FIRST_EVENTS })
      feed.value = []
      add(data)
      return next_cursor
    } catch {
      await retryLater()
    }
  }
}

async function retryLater(turn?: AbortSignal): Promise<void> {
  if (turn?.aborted === true) return
  liveState.value = 'offline'
  await pause(RETRY_MS, undefined)
}

/** Resolves with the index of the last event once no stream can be opened, or when the turn ends. */
async function stream(after: number, signal: AbortSignal): Promise<number> {
  let last = after
  try {
    for await (const event of followEvents(
      { ...connection, fetch: observedFetch(signal) },
      { after, signal },
    )) {
      last = Number(event.id.slice('evt_'.length))
      // `readable` changes only texts, not the shape.
      tellNews([readable(event) as DeputyEvent])
    }
  } catch {
    // Some proxies don't pass streams. Pages work through all proxies.
  }
  return last
}

/** Updates whether this page is live when a connection opens or fails during its turn. */
function observedFetch(turn: AbortSignal): typeof fetch {
  return async (...request) => {
    try {
      const response = await fetch(...request)
      nowLive(response.ok ? 'live' : 'polling')
      return response
    } catch (error) {
      if (!turn.aborted) liveState.value = 'offline'
      throw error
    }
  }
}

/** Reads some pages, each of which waits for new events. After that, the caller tries the stream again. */
async function poll(after: number, turn: AbortSignal): Promise<number> {
  let last = after
  for (let page = 0; page < 10 && !turn.aborted; page += 1) {
    try {
      const { data, next_cursor } = await eventPage({ after: last, wait: POLL_WAIT_S }, turn)
      tellNews(data)
      last = next_cursor
      nowLive('polling')
    } catch {
      await retryLater(turn)
    }
  }
  return last
}

async function eventPage(place: { last: number } | { after: number; wait?: number }, signal?: AbortSignal) {
  const { data, ...rest } = await callService('listEvents', { ...place, limit: FIRST_EVENTS }, signal)
  // Without `format`, these are events of the API.
  return { data: data as DeputyEvent[], ...rest }
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
