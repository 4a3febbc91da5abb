import { CLIENT_CODES, DeputyError, errorOf, isDeputyError } from '../errors.ts'
import type { Tracing } from '../tracing.ts'
import type { CallOptions } from './call-types.ts'

/** The credential that a call carries. */
export interface Credential {
  /** Whether each address needs a proof of its own. */
  readonly is_bound: boolean
  headers(method: string, url: string): Promise<Record<string, string>>
  /** Stores the nonce of a response. Returns true if the call should be repeated at once with a proof over it. */
  learn(response: Response, url: string): boolean
}

/** Where calls go and with which settings. */
export interface Connection {
  /** Without a trailing slash. */
  readonly url: string
  readonly fetch: typeof globalThis.fetch
  readonly timeout_ms: number
  readonly retries: number
  readonly credential: Credential
  /** Whether credentials may be sent to other machines over http. Default: false. */
  readonly allow_http?: boolean
  readonly tracing: Tracing | undefined
}

/** Throws a TypeError if others on the network path could read a credential that is sent to this address. */
export function checkConfidential({ protocol, hostname, origin }: URL, allow_http: boolean): void {
  const isLocal = /^(localhost|127(\.\d+){3}|\[::1\])$/.test(hostname)
  if (protocol !== 'https:' && !isLocal && !allow_http)
    throw new TypeError(
      `Credentials are sent over https only, and ${origin} uses http. Use https, or set allow_http: true.`,
    )
}

export interface OutgoingRequest {
  readonly method: string
  /** Path and query. */
  readonly target: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | undefined
  /** Extra time for a call that waits on purpose, on top of the time limit. */
  readonly extra_ms: number
  /** True if the response is read after the call has returned. The caller can still abort it. */
  readonly is_download: boolean
}

/** The longest pause between two attempts. If the service asks for a longer one, the call fails. */
const MAX_PAUSE_MS = 30_000
const FIRST_RETRY_PAUSE_MS = 100
/** A timeout counts as two failures, because the caller has already waited long. */
const TIMEOUT_WEIGHT = 2

/**
 * Sends a request and passes the response to `read`. Repeats it if the service is unreachable, too slow, or asks to try later.
 * Repeating is safe: a POST carries an idempotency key.
 */
export async function send<T>(
  connection: Connection,
  request: OutgoingRequest,
  options: CallOptions,
  read: (response: Response) => Promise<T>,
): Promise<T> {
  const retries = options.retries ?? connection.retries
  for (let failures = 0; ; ) {
    try {
      return await attemptWithNonce(connection, request, options, read)
    } catch (error) {
      const pause_ms = pauseBefore(error, request.method, failures)
      if (pause_ms === undefined || failures >= retries || options.signal?.aborted === true) throw error
      failures += isDeputyError(error, 'timed_out') ? TIMEOUT_WEIGHT : 1
      await pause(pause_ms, options.signal)
    }
  }
}

/** Returns the pause before the next attempt, or undefined if the call must not be repeated. */
function pauseBefore(error: unknown, method: string, failures: number): number | undefined {
  if (!(error instanceof DeputyError)) return undefined
  const { code, status, retry_after_s } = error
  const isUnanswered = code === 'unreachable' || code === 'timed_out'
  const isUncertain = isUnanswered || status === 502 || status === 504
  // Other methods carry no idempotency key, and the service may have executed them.
  if (isUncertain && method !== 'GET' && method !== 'POST') return undefined
  const isTemporary = status === 429 || status === 503 || status === 502 || status === 504
  if (!isUnanswered && !isTemporary) return undefined
  const wanted_ms = (retry_after_s ?? 0) * 1000
  if (wanted_ms > MAX_PAUSE_MS) return undefined
  // Random, so that clients rejected at the same time do not return at the same time.
  const own_ms = FIRST_RETRY_PAUSE_MS * 2 ** failures * (0.5 + Math.random())
  return Math.min(MAX_PAUSE_MS, wanted_ms + own_ms)
}

/** If the service asks for a nonce, repeats the request with it at once, but only once. */
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
      if (!response.ok) throw await errorOf(response)
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
  // Outside the try: headers or a proof that cannot be made must not look like an unreachable service, which some callers
  // tolerate.
  const credentials = await credential.headers(method, address)
  const sent = new Headers({ ...headers, ...tracing?.headers(), ...credentials, ...options.headers })
  const limit_ms = (options.timeout_ms ?? timeout_ms) + extra_ms
  const ending = endingSignal(url, limit_ms, options.signal)
  try {
    const response = await fetch(address, {
      method,
      headers: sent,
      ...(body !== undefined && { body }),
      signal: ending.signal,
      // Never sends credentials to a redirect target. Not 'error', which edge runtimes do not support: a redirect is then
      // handled as an unexpected response.
      redirect: 'manual',
    })
    return await read(response)
  } catch (error) {
    throw ending.reason() ?? (error instanceof DeputyError ? error : unreachableError(url, error))
  } finally {
    ending.clear(is_download)
  }
}

function unreachableError(url: string, cause: unknown): DeputyError {
  // The message of the error itself is only 'fetch failed'; its cause has the reason.
  const inner = cause instanceof Error && cause.cause instanceof Error ? cause.cause : cause
  const why = inner instanceof Error && inner.message !== '' ? ` (${inner.message})` : ''
  const message = `${CLIENT_CODES.unreachable} Is it running at ${url}?${why}`
  return new DeputyError('unreachable', message, { cause })
}

/** Aborts a request when its time is up or when the caller aborts it. */
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
    /** The error to throw if this signal ended the request. */
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
