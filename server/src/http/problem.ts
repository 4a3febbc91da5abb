import { AuthorityError, ERRORS, type ErrorCode, GUARD_ERRORS, JsonError } from '@deputize/protocol'
import { type ProblemBody, problemBody } from '../domain/problem.ts'
import { isUnreadableFile } from '../sqlite-code.ts'

export const PROBLEM_TYPE = 'application/problem+json'
const RETRY_AFTER_S = 1

/** Error codes of this service, by Fastify's own. */
const FASTIFY_CODES: Readonly<Record<string, ErrorCode>> = {
  FST_ERR_CTP_BODY_TOO_LARGE: 'body_too_large',
  FST_ERR_CTP_INVALID_MEDIA_TYPE: 'unsupported_media_type',
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: 'malformed_json',
  FST_ERR_CTP_EMPTY_JSON_BODY: 'malformed_json',
  FST_ERR_BAD_URL: 'not_found',
  FST_ERR_MAX_PARAM_LENGTH: 'not_found',
}

/** Returns the refusal behind an error, or undefined if the error is a bug. */
export function refusalOf(error: unknown): AuthorityError | undefined {
  if (error instanceof AuthorityError) return error
  if (isUnreadableFile(error)) return new AuthorityError('storage_unavailable')
  if (error instanceof JsonError) return new AuthorityError('malformed_json', error.message)
  const code = FASTIFY_CODES[errorCode(error)] ?? callersFault(error)
  return code === undefined ? undefined : new AuthorityError(code)
}

/** Returns a code for Fastify's refusals with a 4xx status that the table above lacks. */
function callersFault(error: unknown): ErrorCode | undefined {
  if (!errorCode(error).startsWith('FST_ERR_')) return undefined
  const { statusCode } = error as { readonly statusCode?: unknown } // an Error, because it has a code
  return typeof statusCode === 'number' && statusCode >= 400 && statusCode < 500
    ? 'invalid_request'
    : undefined
}

export interface ProblemAnswer {
  readonly status: number
  /** When to retry, for temporary refusals. */
  readonly retry_after_s: number | undefined
  readonly body: ProblemBody & { readonly request_id: string }
}

/** Returns the answer to a refused or failed request. For a bug it holds only the request id, which is in the log. */
export function problemAnswer(error: unknown, request_id: string): ProblemAnswer {
  const problem = problemBody(refusalOf(error) ?? new AuthorityError('internal'))
  const mustWait = problem.status === 503 || problem.status === 429
  return {
    status: problem.status,
    retry_after_s: mustWait ? retryAfter(problem) : undefined,
    body: { ...problem, request_id },
  }
}

/** Returns the wait that the refusal names, or the default. */
function retryAfter({ retry_after_s }: ProblemBody): number {
  return typeof retry_after_s === 'number' ? retry_after_s : RETRY_AFTER_S
}

/** Every code that has a help page: those of the service and of route guards. */
export const EXPLAINED_ERRORS = { ...ERRORS, ...GUARD_ERRORS }
export type ExplainedCode = keyof typeof EXPLAINED_ERRORS

export function isExplainedCode(code: string): code is ExplainedCode {
  return Object.hasOwn(EXPLAINED_ERRORS, code)
}

function errorCode(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : ''
}
