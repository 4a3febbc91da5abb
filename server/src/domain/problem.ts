import { type AuthorityError, ERRORS } from '@deputize/protocol'

/** The RFC 9457 body of a refusal. The HTTP layer adds the request ID. */
export interface ProblemBody {
  readonly type: string
  readonly title: string
  readonly status: number
  readonly detail: string
  readonly code: string
  readonly [member: string]: unknown
}

export function problemBody(error: AuthorityError): ProblemBody {
  const { status, title } = ERRORS[error.code]
  return {
    type: `/problems/${error.code}`,
    title,
    status,
    detail: error.message,
    code: error.code,
    ...error.members,
  }
}
