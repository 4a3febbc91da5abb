import type { CallOptions } from './call-types.ts'
import type { Credential } from './credential.ts'
import { CLIENT_CODES, DeputyError, refusalOf } from './errors.ts'
import type { Tracing } from './tracing.ts'

/** Where calls go, and how. */
export interface Connection {
  /** Without a slash at its end. */
  readonly url: string
  readonly fetch: typeof globalThis.fetch
  readonly timeout_ms: number
  readonly retries: number
  readonly credential: Credential
  readonly tracing: Tracing | undefined
}

export interface OutgoingRequest {
  readonly method: string
  /** Path and query. */
  readonly target: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | undefined
  /** Time that the service may take on purpose, on top of the time-out. */
  readonly extra_ms: number
  /** The answer is still read after the call has ended, and the caller may still end that. */
  readonly is_download: boolean
}

/** The longest pause between two attempts. A service that wants more is not waited for. */
const MAX_PAUSE_MS = 30_000
const FIRST_PAUSE_MS = 100

/**
 * Sends a request until it is answered, and hands the answer to `read`. It is sent again when the service was not reached,
 * did not answer in time, or says to come back. That is safe: a POST carries a key under which it is carried out once.
 */
export async function send<T>(
  connection: Connection,
  request: OutgoingRequest,
  options: CallOptions,
  read: (response: Response) => Promise<T>,
): Promise<T> {
  const retries = options.retries ?? connection.retries
  for (let attempt = 0; ; attempt += 1) {
    try {
      return await attemptWithNonce(connection, request, options, read)
    } catch (error) {
      const pause_ms = pauseBefore(error, request.method, attempt)
      if (pause_ms === undefined || attempt >= retries || options.signal?.aborted === true) throw error
      await pause(pause_ms, options.signal)
    }
  }
}

/** Whether to try again, and after how long. */
function pauseBefore(error: unknown, method: string, attempt: number): number | undefined {
  if (!(error instanceof DeputyError)) return undefined
  const { code, status, retry_after_s } = error
  const isUnheard = code === 'unreachable' || code === 'timed_out'
  // What neither repeats itself harmlessly nor carries a key may have been done.
  if (isUnheard && method !== 'GET' && method !== 'POST') return undefined
  const isForLater = status === 429 || status === 503 || status === 502 || status === 504
  if (!isUnheard && !isForLater) return undefined
  const wanted_ms = (retry_after_s ?? 0) * 1000
  if (wanted_ms > MAX_PAUSE_MS) return undefined
  // Many callers that were turned away together must not come back together.
  return Math.min(MAX_PAUSE_MS, wanted_ms + Math.random() * FIRST_PAUSE_MS * 2 ** attempt)
}

/** A service that asks for a nonce gets it at once, and once. */
async function attemptWithNonce<T>(
  connection: Connection,
  request: OutgoingRequest,
  options: CallOptions,
  read: (response: Response) => Promise<T>,
): Promise<T> {
  let asked = false
  for (;;) {
    const answer = await attemptOnce(connection, request, options, async (response) => {
      if (connection.credential.learn(response, connection.url) && !asked) return undefined
      if (!response.ok) throw await refusalOf(response)
      return { value: await read(response) }
    })
    if (answer !== undefined) return answer.value
    asked = true
  }
}

async function attemptOnce<T>(
  { url, fetch, timeout_ms, credential, tracing }: Connection,
  { method, target, headers, body, extra_ms, is_download }: OutgoingRequest,
  options: CallOptions,
  read: (response: Response) => Promise<T>,
): Promise<T> {
  const address = `${url}${target}`
  // A proof that cannot be made says nothing about the service: whoever lets calls pass while it is away must not hear that.
  const shown = await credential.headers(method, address)
  const limit_ms = (options.timeout_ms ?? timeout_ms) + extra_ms
  const ending = endingSignal(url, limit_ms, options.signal)
  try {
    const response = await fetch(address, {
      method,
      headers: {
        ...headers,
        ...tracing?.headers(),
        ...shown,
        ...options.headers,
      },
      ...(body !== undefined && { body }),
      signal: ending.signal,
      // Credentials follow nobody elsewhere. A redirect is an answer like any other that is not the service's: edge runtimes
      // know no 'error' here.
      redirect: 'manual',
    })
    return await read(response)
  } catch (error) {
    throw ending.reason() ?? (error instanceof DeputyError ? error : unreachable(url, error))
  } finally {
    ending.clear(is_download)
  }
}

function unreachable(url: string, cause: unknown): DeputyError {
  // The reason of a fetch that failed lies one deeper: its own words are 'fetch failed'.
  const inner = cause instanceof Error && cause.cause instanceof Error ? cause.cause : cause
  const why = inner instanceof Error && inner.message !== '' ? ` (${inner.message})` : ''
  const message = `${CLIENT_CODES.unreachable} Is it running? Looked for at ${url}${why}.`
  return new DeputyError('unreachable', message, { cause })
}

/** Ends a request when its time is up or the caller has had enough. */
function endingSignal(url: string, timeout_ms: number, outer: AbortSignal | undefined) {
  const controller = new AbortController()
  let isLate = false
  const timer = setTimeout(() => {
    isLate = true
    controller.abort()
  }, timeout_ms)
  const onAbort = () => controller.abort()
  if (outer?.aborted === true) onAbort()
  outer?.addEventListener('abort', onAbort, { once: true })
  return {
    signal: controller.signal,
    /** What to throw, if this ended the request. */
    reason(): unknown {
      if (outer?.aborted === true) return outer.reason
      if (!isLate) return undefined
      const message = `${CLIENT_CODES.timed_out} Waited ${timeout_ms} ms for ${url}.`
      return new DeputyError('timed_out', message)
    },
    clear(goes_on: boolean) {
      clearTimeout(timer)
      if (!goes_on) outer?.removeEventListener('abort', onAbort)
    },
  }
}

export function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', onAbort)
      resolve()
    }, ms)
    const onAbort = () => {
      clearTimeout(timer)
      reject(signal?.reason)
    }
    if (signal?.aborted === true) onAbort()
    signal?.addEventListener('abort', onAbort, { once: true })
  })
}
