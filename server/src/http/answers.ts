import type { Socket } from 'node:net'
import { AuthorityError, ERRORS, OAuthError, oauthErrorBody, oauthErrorOf } from '@deputize/protocol'
import type { FastifyBaseLogger, FastifyReply, FastifyRequest } from 'fastify'
import { CredentialRefused } from '../access/credential-refused.ts'
import { problemBody } from '../domain/problem.ts'
import { isUnreadableFile } from '../sqlite-code.ts'
import { FORM_TYPE } from './form.ts'
import { methodsAt, nearestOperation } from './known-paths.ts'
import { wantsHtml } from './pages/page-answers.ts'
import { sendProblemPage } from './pages/problem-pages.ts'
import { PROBLEM_TYPE, problemAnswer, refusalOf } from './problem.ts'
import { namesOf } from './trace-id.ts'

/** Answers with a refusal or a failure in the operation's error format. */
export function answerError(failure: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const error = isWrongForm(failure, request) ? FORM_WANTED : failure
  const { status, retry_after_s, body } = problemAnswer(error, request.id)
  const isExpected = refusalOf(error) !== undefined || error instanceof OAuthError
  if (!isExpected || isUnreadableFile(error)) logFailure(error, request)
  if (retry_after_s !== undefined && !reply.hasHeader('retry-after') && !(error instanceof OAuthError))
    reply.header('retry-after', retry_after_s)
  if (request.routeOptions.config?.oauth_errors === true) return answerOauthError(oauthRefusal(error), reply)
  if (mayBePageVisit(request)) {
    reply.header('vary', reply.hasHeader('vary') ? `${reply.getHeader('vary')}, Accept` : 'Accept')
    if (wantsHtml(request)) return sendProblemPage(body, request, reply)
  }
  return reply.code(status).type(PROBLEM_TYPE).send(JSON.stringify(body))
}

const FORM_WANTED = new AuthorityError(
  'unsupported_media_type',
  `Send the header Content-Type: ${FORM_TYPE}.`,
)

/** True if the route takes a form but the refusal carries only the general help text, which asks for JSON. */
function isWrongForm(failure: unknown, { routeOptions }: FastifyRequest): boolean {
  if (routeOptions.config?.form !== true) return false
  return refusalOf(failure)?.message === ERRORS.unsupported_media_type.help
}

/** Builds the line only for log levels that print it, because this runs for every request. */
export function logAnswer(
  log: FastifyBaseLogger,
  request: Pick<FastifyRequest, 'id' | 'headers' | 'method'>,
  path: string | undefined,
  status: number,
): void {
  if (log.level !== 'debug' && log.level !== 'trace') return
  log.debug({ ...namesOf(request), method: request.method, path, status }, 'request answered')
}

/** Whether a person may have opened the address in a browser. People get a page, programs get JSON. */
function mayBePageVisit({ method }: FastifyRequest): boolean {
  return method === 'GET' || method === 'HEAD'
}

/** Logs a failure. A caller that hangs up in the middle of a request isn't a fault of the service. */
function logFailure(error: unknown, request: FastifyRequest): void {
  const names = namesOf(request)
  if (request.raw.readableAborted) request.log.debug({ err: error, ...names }, 'caller hung up')
  else request.log.error({ err: error, ...names }, 'request failed unexpectedly')
}

/** Answers as in RFC 6749 section 5.2: 400, or 401 with a challenge if the client did not authenticate. */
function answerOauthError(error: OAuthError, reply: FastifyReply): FastifyReply {
  if (error.status !== 401) reply.removeHeader('www-authenticate')
  else reply.header('www-authenticate', 'Basic realm="deputy", charset="UTF-8"')
  return reply
    .code(error.status)
    .header('cache-control', 'no-store')
    .type('application/json; charset=utf-8')
    .send(JSON.stringify(oauthErrorBody(error)))
}

function oauthRefusal(error: unknown): OAuthError {
  if (error instanceof OAuthError) return error
  const fault = error instanceof CredentialRefused ? error.fault : undefined
  return oauthErrorOf(refusalOf(error) ?? new AuthorityError('internal'), fault)
}

/** Answers a request that no route matches: either the path is unknown, or it doesn't support the method. */
export function answerUnrouted(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const path = request.url.split('?')[0] ?? ''
  const methods = methodsAt(path)
  if (methods.length === 0) {
    const nearest = nearestOperation(request.method, path)
    const advice = nearest === undefined ? 'See /docs for all operations.' : `Did you mean ${nearest}?`
    const detail = `No operation at ${request.method} ${printable(path)}. ${advice}`
    return answerError(new AuthorityError('not_found', detail), request, reply)
  }
  reply.header('allow', methods.join(', '))
  return answerError(
    new AuthorityError(
      'method_not_allowed',
      `${printable(path)} accepts ${methods.join(' or ')}, not ${request.method}.`,
    ),
    request,
    reply,
  )
}

function printable(path: string): string {
  return path.slice(0, 120).replaceAll(/[^\x21-\x7e]/g, '?')
}

const LINGER_MS = 500

/** Answers bytes that aren't HTTP: there is no request, only a socket. */
export function answerBrokenHttp(error: Error & { code?: string }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy()
  const [status, reason] = BROKEN_HTTP[error.code ?? ''] ?? [
    '400 Bad Request',
    'The bytes received are not valid HTTP.',
  ]
  const body = JSON.stringify({
    ...problemBody(new AuthorityError('invalid_request', reason)),
    status: Number.parseInt(status, 10),
  })
  // A client that reads closes the connection itself. A client that never reads must not keep it open.
  const cut = setTimeout(() => socket.destroy(), LINGER_MS)
  socket.once('close', () => clearTimeout(cut))
  socket.end(
    `HTTP/1.1 ${status}\r\nContent-Type: ${PROBLEM_TYPE}\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
  )
}

const BROKEN_HTTP: Readonly<Record<string, readonly [string, string]>> = {
  ERR_HTTP_REQUEST_TIMEOUT: ['408 Request Timeout', 'The request did not arrive in time.'],
  HPE_HEADER_OVERFLOW: ['431 Request Header Fields Too Large', 'The request line or headers are too large.'],
}
