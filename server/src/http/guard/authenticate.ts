import {
  ACCESS,
  AuthorityError,
  challenge,
  ERRORS,
  type ErrorCode,
  type OperationId,
  SECURITY_EVENT_KINDS,
} from '@deputize/protocol'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { assertRole } from '../../access/authorize-caller.ts'
import { type Caller, csrfTokenFor, LOCAL_CALLER, PUBLIC_CALLER } from '../../access/caller.ts'
import { CredentialRefused } from '../../access/credential-refused.ts'
import type { RequestCredentials } from '../../access/credentials.ts'
import type { KeyedAccess } from '../../access/keyed-access.ts'
import type { RefusedCall } from '../../access/security-events.ts'
import type { AnswerHeaders, ArrivedRequest, LeanRequest } from '../arrived-request.ts'
import { refusalOf } from '../problem.ts'
import { namesOf } from '../trace-id.ts'
import { type CrossOriginContext, originGuard } from './cross-origin.ts'
import { type ClientParameters, clientCredentials, hasOwnCredential } from './oauth-client.ts'
import { type IncomingRequest, isOwnOrigin, localRefusal, repeatedRefusal } from './open-mode.ts'
import { openQuotas, rateLimit } from './quotas.ts'
import { type Allowance, neighbourhoodOf, rateLimiter } from './rate-limit.ts'
import { credentialsOf, forgeryRefusal, hostRefusal } from './request-credentials.ts'

declare module 'fastify' {
  interface FastifyRequest {
    caller: Caller
    credentials: RequestCredentials | undefined
    /** The caller was identified before the request had arrived completely. */
    is_unfinished: boolean
  }
}

export interface AuthenticationOptions {
  readonly clock: () => number
  /** Undefined in open mode. */
  readonly keyed: KeyedAccess | undefined
  readonly public_url: () => string
  /** The port that callers must name in Host; known only once the server listens. */
  readonly port: () => number
  readonly rate_limit_per_minute: number
  readonly cross_origin: CrossOriginContext
  readonly onSecurityEvent: (event: SecurityEvent) => void
  /** Counts refused calls for the operators' list. */
  readonly countRefusal: (call: RefusedCall) => void
}

/** A caller attempted something outside its permissions. */
export interface SecurityEvent {
  readonly code: string
  readonly operation: string
  readonly caller: string
  readonly tenant_id: string
  readonly address: string
  readonly request_id: string
  readonly trace_id?: string
  readonly reason: string | undefined
}

/** How many unknown ids and invalid credentials a caller may send per minute. */
const MISSES_PER_MINUTE = 60

/** Refusals that are each reported as a security event. */
const SUSPICIOUS: readonly string[] = SECURITY_EVENT_KINDS.filter(
  (kind) => kind !== 'rate_limited',
) satisfies ErrorCode[]

/** The same guards for requests that Fastify hasn't seen. */
export interface LeanGuard {
  /** Whether the request passes the checks that count nothing. */
  isWelcome(request: LeanRequest): boolean
  /** Sets the caller, and counts the request. Throws, or rejects with, the refusal. */
  admit(request: ArrivedRequest, reply: AnswerHeaders): Promise<void> | undefined
}

export interface Authentication {
  readonly leanGuard: LeanGuard
  /** Reports and counts a refusal before it is answered. Returns the error to answer with. */
  onRefusal(error: unknown, request: FastifyRequest, reply: FastifyReply): unknown
}

/** Sets `request.caller`, and refuses requests based on their origin, credential and rate. */
export function addAuthentication(app: FastifyInstance, options: AuthenticationOptions): Authentication {
  app.decorateRequest('caller')
  app.decorateRequest('credentials', undefined)
  app.decorateRequest('is_unfinished', false)
  return options.keyed === undefined ? addOpenMode(app, options) : addKeyedMode(app, options, options.keyed)
}

/** Uses a hook with a callback, which costs no promise, because every request passes through it. */
function addOpenMode(
  app: FastifyInstance,
  { port, clock, rate_limit_per_minute, cross_origin }: AuthenticationOptions,
): Authentication {
  const limit = rateLimit('caller', rate_limit_per_minute, clock)
  const guardOrigin = originGuard(cross_origin, (origin) => isOwnOrigin(origin, port()))
  app.addHook('onRequest', (request, reply, done) => {
    request.caller = LOCAL_CALLER
    const arrival = arrivalOf(request)
    const foreign = guardOrigin(request, reply)
    const isForOthers = foreign === 'admitted' || request.routeOptions.config?.for_other_sites
    done(
      repeatedRefusal(request.raw.rawHeaders) ??
        localRefusal(arrival, port(), isForOthers) ??
        (isStop(request) ? undefined : limit(request.ip, reply)),
    )
  })
  return { onRefusal: (error) => error, leanGuard: openLeanGuard(port, limit) }
}

function openLeanGuard(port: () => number, limit: ReturnType<typeof rateLimit>): LeanGuard {
  return {
    isWelcome: (request) =>
      repeatedRefusal(request.rawHeaders) === undefined &&
      localRefusal(arrivalOf(request), port()) === undefined,
    admit(request, reply) {
      request.caller = LOCAL_CALLER
      throwIf(limit(request.ip, reply))
      return undefined
    },
  }
}

function addKeyedMode(
  app: FastifyInstance,
  options: AuthenticationOptions,
  keyed: KeyedAccess,
): Authentication {
  const misses = missCounter(options.clock)
  const { authenticate, admitClient } = authenticator(options, keyed, misses)
  app.addHook('onRequest', async (request, reply) => {
    await authenticate(request, reply)
    request.is_unfinished = !request.raw.complete
  })
  // Every request passes through these hooks, and a callback costs no promise.
  app.addHook('preHandler', ({ caller, credentials, is_unfinished }, _reply, done) => {
    // What an agent may do without a token in force is decided for each call.
    if (!is_unfinished || credentials === undefined || caller.role === 'agent') return done()
    keyed.assertStillValid(caller, credentials).then(() => done(), done)
  })
  app.addHook('preHandler', (request, reply, done) => {
    if (!isOauth(request)) return done()
    admitClient(request, reply).then(() => (reply.sent ? undefined : done()), done)
  })
  function count(refusal: AuthorityError, request: FastifyRequest): void {
    const kind = SECURITY_EVENT_KINDS.find((known) => known === refusal.code)
    if (kind === undefined) return
    const { reason, operation } = securityEvent(refusal, request)
    options.countRefusal({ kind, reason, operation, caller: request.caller, address: request.ip })
  }
  return {
    // Every check of keyed mode may count something.
    leanGuard: { isWelcome: () => true, admit: authenticate },
    onRefusal(error, request, reply) {
      const refusal = refusalOf(error)
      if (refusal === undefined) return error
      const limited = isMiss(refusal, request.caller) ? misses.count(request, reply) : undefined
      count(limited ?? refusal, request)
      if (limited !== undefined) return limited
      if (SUSPICIOUS.includes(refusal.code)) options.onSecurityEvent(securityEvent(refusal, request))
      if (ERRORS[refusal.code].status === 401) reply.header('www-authenticate', CHALLENGE)
      if (refusal instanceof CredentialRefused) reply.headers(refusal.headers)
      return error
    },
  }
}

function authenticator(options: AuthenticationOptions, keyed: KeyedAccess, misses: MissCounter) {
  const { clock, public_url, port, rate_limit_per_minute, cross_origin } = options
  const guardOrigin = originGuard(cross_origin, (origin) => origin === public_url())
  const limitAddress = rateLimit('address', rate_limit_per_minute, clock)
  const quotas = openQuotas({ keyed, limit_per_minute: rate_limit_per_minute, clock })

  function limitOfAddress({ ip }: ArrivedRequest, reply: AnswerHeaders): AuthorityError | undefined {
    return limitAddress(neighbourhoodOf(ip), reply)
  }

  async function authenticate(request: ArrivedRequest, reply: AnswerHeaders): Promise<void> {
    request.caller = PUBLIC_CALLER
    const arrival = arrivalOf(request)
    const foreign = guardOrigin(request, reply)
    throwIf(
      repeatedRefusal(request.raw.rawHeaders) ??
        hostRefusal(arrival, public_url(), port()) ??
        (foreign === 'admitted' ? undefined : foreign) ??
        // A call that stops something is limited by its caller's quota, and bad credentials by the miss counter.
        (isStop(request) || isVisit(request) ? undefined : limitOfAddress(request, reply)),
    )
    if (isVisit(request)) return admitVisitor(request, reply)
    if (isPublic(request)) return
    const credentials = credentialsOf(arrival, request.url, public_url())
    request.credentials = credentials
    // The credential of an OAuth client may be in the body, which is read later.
    if (isOauth(request) && !hasOwnCredential(credentials)) return
    await admit(request, reply, credentials)
  }

  /** Without a valid session, a visitor stays public and is limited by address. Other credentials are ignored. */
  async function admitVisitor(request: ArrivedRequest, reply: AnswerHeaders): Promise<void> {
    const { method, target, session } = credentialsOf(arrivalOf(request), request.url, public_url())
    const nothing = {
      authorization: undefined,
      proof: undefined,
      presented_token: undefined,
      grant: undefined,
    }
    const caller = await keyed.identify({ method, target, session, ...nothing }).catch((error: unknown) => {
      if (error instanceof CredentialRefused) return PUBLIC_CALLER
      throw error
    })
    if (caller.role !== 'human') return throwIf(limitOfAddress(request, reply))
    request.caller = caller
    throwIf(await quotas.countVisit(caller, reply))
  }

  async function admit(
    request: ArrivedRequest,
    reply: AnswerHeaders,
    credentials: RequestCredentials,
  ): Promise<void> {
    const arrival = arrivalOf(request)
    const caller = await keyed.identify(credentials)
    request.caller = caller
    const operation = operationOf(request)
    if (operation !== undefined) assertRole(caller, operation)
    if (caller.role === 'public') return
    const csrf_token = csrfTokenFor(caller)
    if (csrf_token !== undefined) throwIf(forgeryRefusal(arrival, public_url(), csrf_token))
    throwIf(misses.refusalFor(request, reply))
    throwIf(await (isStop(request) ? quotas.countStop(caller, reply) : quotas.countCall(caller, reply)))
  }

  /** Admits an OAuth client by the parameters of its request. */
  async function admitClient(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const { credentials, body } = request
    if (credentials === undefined || request.caller.role !== 'public') return
    const operation = operationOf(request)
    try {
      await admit(request, reply, clientCredentials(credentials, clientParameters(body, operation)))
    } catch (error) {
      if (operation !== 'revokeOauthToken' || !isVoidToken(error)) throw error
      throwIf(misses.count(request, reply))
      // RFC 7009 section 2.2: a token that is not valid is revoked already.
      reply.header('cache-control', 'no-store').send({ revoked: true })
    }
  }

  return { authenticate, admitClient }
}

/** Whether the token is permanently invalid. A token that isn't valid yet counts as not revoked. */
function isVoidToken(error: unknown): boolean {
  return (
    error instanceof CredentialRefused &&
    error.fault === 'token_refused' &&
    error.members.reason !== 'not_yet_valid'
  )
}

/**
 * Returns the parameters, which the operation's schema has checked to be text. The holder of a token may exchange and
 * revoke it, but introspection needs another credential (RFC 7662 section 2.1).
 */
function clientParameters(body: unknown, operation: OperationId | undefined): ClientParameters {
  const { client_id, client_secret, subject_token, token } = body as Readonly<Record<string, string>>
  const held = operation === 'introspectToken' ? undefined : (subject_token ?? token)
  return { client_id, client_secret, token: held }
}

interface MissCounter {
  /** Counts a miss. Returns the refusal if this request takes a public caller over the limit. */
  count(request: ArrivedRequest, reply: AnswerHeaders): AuthorityError | undefined
  refusalFor(request: ArrivedRequest, reply: AnswerHeaders): AuthorityError | undefined
}

/**
 * Slows down guessing. Callers with a credential are counted by name, all others by network. Calls that stop something
 * are counted separately, so wrong guesses elsewhere never keep a caller from stopping an agent.
 */
function missCounter(clock: () => number): MissCounter {
  const limiter = rateLimiter(MISSES_PER_MINUTE, clock)
  return {
    count(request, reply) {
      const { caller, ip } = request
      if (caller.role === 'public') return guessingRefusal(limiter.count(neighbourhoodOf(ip)), reply)
      limiter.count(guesserOf(request))
      return undefined
    },
    refusalFor: (request, reply) => guessingRefusal(limiter.look(guesserOf(request)), reply),
  }
}

function guesserOf(request: ArrivedRequest): string {
  return isStop(request) ? `${request.caller.name} stop` : request.caller.name
}

function guessingRefusal(
  { isAllowed, reset_s }: Allowance,
  reply: AnswerHeaders,
): AuthorityError | undefined {
  if (isAllowed) return undefined
  reply.header('retry-after', String(reset_s))
  return new AuthorityError(
    'rate_limited',
    'Too many requests named an unknown ID or carried an invalid credential. Wait for the number of seconds in the Retry-After header.',
  )
}

/**
 * Whether a refusal counts as guessing. A valid proof that only lacks a nonce does not. Neither does an invalid token
 * that an agent presented to a known caller: others could use up that caller's misses.
 */
function isMiss(refusal: AuthorityError, caller: Caller): boolean {
  if (refusal.code.endsWith('_unknown')) return true
  if (refusal instanceof CredentialRefused && 'dpop-nonce' in refusal.headers) return false
  return ERRORS[refusal.code].status === 401 && caller.role === 'public'
}

function securityEvent({ code, members }: AuthorityError, request: FastifyRequest): SecurityEvent {
  const { caller, ip, routeOptions } = request
  return {
    code,
    reason: typeof members.reason === 'string' ? members.reason : undefined,
    operation: routeOptions.config?.operation ?? 'page',
    caller: caller.name,
    tenant_id: caller.tenant_id,
    address: ip,
    ...namesOf(request),
  }
}

/** The challenge for a caller without a credential. */
const CHALLENGE = challenge('credential_missing')

function throwIf(refusal: AuthorityError | undefined): void {
  if (refusal !== undefined) throw refusal
}

/** Whether the request needs no credential here. Pages that need one check it themselves. */
function isPublic(request: ArrivedRequest): boolean {
  const operation = operationOf(request)
  return operation === undefined
    ? request.routeOptions.config?.guarded !== true
    : ACCESS[operation].public === true
}

function operationOf({ routeOptions }: Pick<ArrivedRequest, 'routeOptions'>): OperationId | undefined {
  return routeOptions.config?.operation as OperationId | undefined // addOperation sets nothing else
}

function isOauth({ routeOptions }: Pick<ArrivedRequest, 'routeOptions'>): boolean {
  return routeOptions.config?.oauth_errors === true
}

function isStop({ routeOptions }: Pick<ArrivedRequest, 'routeOptions'>): boolean {
  return routeOptions.config?.lane === 'stop'
}

function isVisit({ routeOptions }: Pick<ArrivedRequest, 'routeOptions'>): boolean {
  return routeOptions.config?.visit === true
}

function arrivalOf({
  method = '',
  socket,
  headers,
}: Pick<LeanRequest, 'method' | 'socket' | 'headers'>): IncomingRequest {
  return { method, remote_address: socket.remoteAddress, headers }
}
