import { CLIENT_CODES, DeputyError, isUnavailable, unexpectedAnswer } from '../errors.ts'
import type { DeputyEvent } from '../generated/operations.ts'
import { checkOptions } from '../options.ts'
import { encodedForm, linesIn } from './call.ts'
import { type Connection, pause, send } from './request.ts'

/** Which events to follow. An event must match all filters. */
export interface EventsOptions<T extends DeputyEvent['type'] = DeputyEvent['type']> {
  /** Only events after this one: the number in the `id` of the last event that you have handled. -1 starts with the first. */
  readonly after?: number | undefined
  /** Only events of these types. */
  readonly types?: readonly T[] | undefined
  /** Only events about this agent. */
  readonly agent_id?: string | undefined
  /** Only events of this workflow. */
  readonly provenance_ref?: string | undefined
  /** Only events about this token, and about what was done with it. */
  readonly vat_jti?: string | undefined
  /** Ends the iteration. */
  readonly signal?: AbortSignal | undefined
}

const EVENTS_OPTIONS: Record<keyof EventsOptions, true> = {
  after: true,
  types: true,
  agent_id: true,
  provenance_ref: true,
  vat_jti: true,
  signal: true,
}

/** The service sends something at least every 15 seconds. A connection that is silent for longer is lost. */
const SILENCE_MS = 45_000
const SHORTEST_PAUSE_MS = 200
const LONGEST_PAUSE_MS = 15_000

/** Follows events over as many connections as it takes. */
export async function* followEvents<T extends DeputyEvent['type']>(
  connection: Connection,
  options: EventsOptions<T> = {},
): AsyncGenerator<Extract<DeputyEvent, { type: T }>, void> {
  checkOptions(options, EVENTS_OPTIONS)
  const { signal } = options
  let after = options.after
  let failures = 0
  let isFirst = true
  for (;;) {
    signal?.throwIfAborted()
    let asked_ms = 0
    try {
      for await (const block of blocksOf(connection, options, after, isFirst)) {
        isFirst = false
        failures = 0
        if (block.id !== undefined) after = block.id
        // The caller asked for these types, and the service sends no others.
        if (block.event !== undefined) yield block.event as Extract<DeputyEvent, { type: T }>
      }
    } catch (error) {
      if (signal?.aborted === true) throw signal.reason
      // A first connection that fails has already been tried several times. Later ones are tried until the service is
      // back.
      if (isFirst || !isTemporary(error)) throw error
      asked_ms = 1000 * (error.retry_after_s ?? 0)
    }
    failures += 1
    const longest_ms = Math.min(LONGEST_PAUSE_MS, SHORTEST_PAUSE_MS * 2 ** failures)
    await pause(asked_ms + longest_ms * (0.5 + Math.random() / 2), signal)
  }
}

/** Whether a later connection can succeed: the service was unavailable, or accepts no more calls or streams for now. */
function isTemporary(error: unknown): error is DeputyError {
  return error instanceof DeputyError && (isUnavailable(error) || error.status === 429)
}

interface EventBlock {
  /** Everything up to this index was sent. */
  readonly id: number | undefined
  readonly event: DeputyEvent | undefined
}

/** Yields the blocks of one connection. */
async function* blocksOf(
  connection: Connection,
  { types, agent_id, provenance_ref, vat_jti, signal }: EventsOptions,
  after: number | undefined,
  isFirst: boolean,
): AsyncGenerator<EventBlock, void> {
  const query = { after, type: types, agent_id, provenance_ref, vat_jti }
  const search = encodedForm(Object.entries(query).filter(([, value]) => value !== undefined))
  const request = {
    method: 'GET',
    target: `/v1/vat/events${search === '' ? '' : `?${search}`}`,
    headers: { accept: 'text/event-stream' },
    body: undefined,
    extra_ms: 0,
    is_download: true,
  }
  const watch = silenceWatch(signal)
  try {
    const calling = { signal: watch.signal, ...(!isFirst && { retries: 0 }) }
    const body = await send(connection, request, calling, async (response) => streamIn(response))
    yield* blocksIn(body, watch.heard)
  } catch (error) {
    throw watch.isSilent() ? new DeputyError('timed_out', CLIENT_CODES.timed_out) : lostConnection(error)
  } finally {
    watch.end()
  }
}

async function* blocksIn(
  body: ReadableStream<Uint8Array>,
  onLine: () => void,
): AsyncGenerator<EventBlock, void> {
  let id: number | undefined
  let name = ''
  let data = ''
  for await (const line of linesIn(body)) {
    onLine()
    if (line.startsWith('id: ')) id = Number(line.slice('id: '.length))
    else if (line.startsWith('event: ')) name = line.slice('event: '.length)
    else if (line.startsWith('data: ')) data = line.slice('data: '.length)
    if (line !== '') continue
    yield { id, event: name === '' && data !== '' ? JSON.parse(data) : undefined }
    id = undefined
    name = ''
    data = ''
  }
}

function streamIn({ headers, body, status }: Response): ReadableStream<Uint8Array> {
  const isStream = headers.get('content-type')?.startsWith('text/event-stream') === true
  if (isStream && body !== null) return body
  throw unexpectedAnswer(status)
}

/** Returns the error of a lost connection. One that breaks midway counts as unreachable. */
function lostConnection(error: unknown): unknown {
  if (error instanceof DeputyError) return error
  return new DeputyError('unreachable', CLIENT_CODES.unreachable, { cause: error })
}

/** Aborts when nothing has arrived for too long, or when the caller aborts. */
function silenceWatch(outer: AbortSignal | undefined) {
  const controller = new AbortController()
  let isSilent = false
  const onSilence = () => {
    isSilent = true
    controller.abort()
  }
  let timer = setTimeout(onSilence, SILENCE_MS)
  const onAbort = () => controller.abort(outer?.reason)
  if (outer?.aborted === true) onAbort()
  outer?.addEventListener('abort', onAbort, { once: true })
  return {
    signal: controller.signal,
    isSilent: () => isSilent,
    heard() {
      clearTimeout(timer)
      timer = setTimeout(onSilence, SILENCE_MS)
    },
    end() {
      clearTimeout(timer)
      outer?.removeEventListener('abort', onAbort)
      controller.abort()
    },
  }
}
