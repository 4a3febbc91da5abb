import type { ErrorCode } from './generated/operations.ts'

/** Messages of the errors for which the service sent no code, by the code that the client assigns. */
export const CLIENT_CODES = {
  unreachable: 'The service could not be reached.',
  timed_out: 'The service did not answer in time.',
  unexpected_answer: 'The response is not one that this version of the client understands.',
  oauth_refused: 'The token exchange was rejected.',
  completion_failed: 'The work was done, but its action record could not be completed.',
} as const
/** Codes that the client assigns if the service did not send one. */
export type ClientCode = keyof typeof CLIENT_CODES

/** Every code of a `DeputyError`. */
export type DeputyErrorCode = ErrorCode | ClientCode

/** The problem body (RFC 9457) that the service sent. */
export interface Problem {
  readonly type?: string
  readonly title?: string
  readonly status?: number
  readonly detail?: string
  readonly code?: string
  readonly request_id?: string
  /** One entry for each invalid field. */
  readonly errors?: readonly { readonly pointer: string; readonly detail: string }[]
  readonly [member: string]: unknown
}

interface ErrorFacts {
  readonly status?: number
  readonly problem?: Problem
  readonly request_id?: string | undefined
  readonly retry_after_s?: number | undefined
  readonly cause?: unknown
}

/** A call failed. `code` is stable. The message says what is wrong and how to fix it. */
export class DeputyError extends Error {
  readonly code: DeputyErrorCode
  /** The HTTP status; 0 if there was no response. */
  readonly status: number
  readonly problem: Problem
  readonly request_id: string | undefined
  /** Seconds to wait before trying again, if the service said so. */
  readonly retry_after_s: number | undefined

  constructor(
    code: DeputyErrorCode,
    message: string,
    { status = 0, problem = {}, request_id, retry_after_s, cause }: ErrorFacts = {},
  ) {
    super(message, cause === undefined ? undefined : { cause })
    this.name = 'DeputyError'
    this.code = code
    this.status = status
    this.problem = problem
    this.request_id = request_id
    this.retry_after_s = retry_after_s
  }
}

/**
 * Whether `error` is a `DeputyError`, with this code if one is given.
 *
 * @example
 * ```ts
 * import { deputy, isDeputyError } from '@deputize/sdk'
 *
 * const client = deputy({ url: 'http://127.0.0.1:8420' })
 * try {
 *   await client.getToken({ jti: 'vat_root_00000000000000000000000000' })
 * } catch (error) {
 *   if (!isDeputyError(error, 'token_unknown')) throw error
 *   console.log(error.status) // 404
 * }
 * ```
 */
export function isDeputyError(error: unknown, code?: DeputyErrorCode): error is DeputyError {
  return error instanceof DeputyError && (code === undefined || error.code === code)
}

/** Returns the error that a response describes. */
export async function errorOf(response: Response): Promise<DeputyError> {
  const { status, headers } = response
  const problem = await problemIn(response)
  const facts = {
    status,
    problem,
    request_id: problem.request_id ?? headers.get('x-request-id') ?? undefined,
    retry_after_s: retryAfter(headers.get('retry-after')),
  }
  const { code, detail, title, error, error_description } = problem
  if (isCode(code)) return new DeputyError(code, messageOf(code, title, detail), facts)
  if (typeof error === 'string')
    return new DeputyError('oauth_refused', `${error}: ${error_description}`, facts)
  return unexpectedAnswer(status, facts)
}

/** Returns the error for a response that isn't the service's. Most often, the URL belongs to something else. */
export function unexpectedAnswer(status: number, facts: ErrorFacts = {}): DeputyError {
  const message = `${CLIENT_CODES.unexpected_answer} Status: ${status}. Check the URL of the service.`
  return new DeputyError('unexpected_answer', message, { ...facts, status })
}

/** Joins the title, which says what is wrong, and the detail, which says how to fix it and can be unclear alone. */
function messageOf(code: string, title: string | undefined, detail: string | undefined): string {
  if (title === undefined || detail === undefined) return detail ?? title ?? code
  return detail.includes(title) ? detail : `${title}. ${detail}`
}

/** Accepts codes that this client doesn't know, because a newer service may send them. They are passed on unchanged. */
function isCode(code: unknown): code is ErrorCode {
  return typeof code === 'string' && /^[a-z_]{1,64}$/.test(code)
}

async function problemIn(response: Response): Promise<Problem> {
  if (!/^application\/(problem\+)?json/.test(response.headers.get('content-type') ?? '')) return {}
  const body: unknown = await response.json().catch(() => undefined)
  return typeof body === 'object' && body !== null ? { ...body } : {}
}

function retryAfter(header: string | null): number | undefined {
  return header !== null && /^\d{1,6}$/.test(header) ? Number(header) : undefined
}

const UNAVAILABLE_STATUSES = [502, 503, 504]

/**
 * Whether the service was unavailable: not reached, too slow, or 502, 503 or 504. Its decision is then unknown.
 *
 * @example
 * ```ts
 * import { deputy, isUnavailable } from '@deputize/sdk'
 *
 * const client = deputy({ url: 'http://127.0.0.1:1', retries: 0 })
 * try {
 *   await client.getHealth()
 * } catch (error) {
 *   console.log(isUnavailable(error)) // true
 * }
 * ```
 */
export function isUnavailable(error: unknown): boolean {
  if (!(error instanceof DeputyError)) return false
  return (
    error.code === 'unreachable' || error.code === 'timed_out' || UNAVAILABLE_STATUSES.includes(error.status)
  )
}

/** Whether the service is really away. Overload doesn't count, or callers could cause it to act without a record. */
export function isAway(error: unknown): boolean {
  return isUnavailable(error) && !isDeputyError(error, 'overloaded')
}
