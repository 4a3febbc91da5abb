import type { ErrorCode } from './generated/operations.ts'

/** What can go wrong before the service has said anything that it means. */
export const CLIENT_CODES = {
  unreachable: 'The service could not be reached.',
  timed_out: 'The service did not answer in time.',
  unexpected_answer: 'Something answered that is not the service, or not this version of it.',
  oauth_refused: 'The token exchange was refused.',
} as const
/** The codes that are the own ones of the client: the service said nothing that it means. */
export type ClientCode = keyof typeof CLIENT_CODES

/** Every code that a `DeputyError` has. */
export type DeputyErrorCode = ErrorCode | ClientCode

/** The body of a refusal (RFC 9457), as the service sent it. */
export interface Problem {
  readonly type?: string
  readonly title?: string
  readonly status?: number
  readonly detail?: string
  readonly code?: string
  readonly request_id?: string
  /** One entry for each field that does not fit. */
  readonly errors?: readonly { readonly pointer: string; readonly detail: string }[]
  readonly [member: string]: unknown
}

/** A call failed. `code` is stable; the message says what is wrong and how to mend it. */
export class DeputyError extends Error {
  readonly code: DeputyErrorCode
  /** 0 when nothing was answered. */
  readonly status: number
  readonly problem: Problem
  readonly request_id: string | undefined
  /** Seconds after which the service wants to be asked again. */
  readonly retry_after_s: number | undefined

  constructor(
    code: DeputyErrorCode,
    message: string,
    {
      status = 0,
      problem = {},
      request_id,
      retry_after_s,
      cause,
    }: {
      readonly status?: number
      readonly problem?: Problem
      readonly request_id?: string | undefined
      readonly retry_after_s?: number | undefined
      readonly cause?: unknown
    } = {},
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

/** Whether something that was thrown is a DeputyError, and of this code if one is named. */
export function isDeputyError(error: unknown, code?: DeputyErrorCode): error is DeputyError {
  return error instanceof DeputyError && (code === undefined || error.code === code)
}

/** What the service refused, read from its answer. */
export async function refusalOf(response: Response): Promise<DeputyError> {
  const { status, headers } = response
  const problem = await problemIn(response)
  const told = {
    status,
    problem,
    request_id: problem.request_id ?? headers.get('x-request-id') ?? undefined,
    retry_after_s: retryAfter(headers.get('retry-after')),
  }
  const { code, detail, title, error, error_description } = problem
  if (isCode(code)) return new DeputyError(code, detail ?? title ?? code, told)
  if (typeof error === 'string')
    return new DeputyError('oauth_refused', `${error}: ${error_description}`, told)
  return new DeputyError(
    'unexpected_answer',
    `${CLIENT_CODES.unexpected_answer} Its status is ${status}.`,
    told,
  )
}

/** A newer service may have codes that this client has no name for; they are told as they are. */
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

const AWAY = [502, 503, 504]

/** Whether nobody could be asked, as against being refused: the service was not reached, was late, or is away. */
export function isUnavailable(error: unknown): boolean {
  if (!(error instanceof DeputyError)) return false
  return error.code === 'unreachable' || error.code === 'timed_out' || AWAY.includes(error.status)
}
