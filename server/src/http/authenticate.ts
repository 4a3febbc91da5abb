import {
  ACCESS,
  AuthorityError,
  challenge,
  ERRORS,
  type ErrorCode,
  type OperationId,
} from '@deputize/protocol'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { assertRole } from '../access/authorize-caller.ts'
import { type Caller, LOCAL_CALLER, PUBLIC_CALLER } from '../access/caller.ts'
import { CredentialRefused } from '../access/credential-refused.ts'
import type { Credentials, Gate } from '../access/credentials.ts'
import { type Arrival, localRefusal, repeatedRefusal } from './open-mode.ts'
import { refusalOf } from './problem.ts'
import { type Allowance, neighbourhoodOf, rateLimiter } from './rate-limit.ts'
import { credentialsOf, forgeryRefusal, hostRefusal } from './request-credentials.ts'
import { namesOf } from './trace-id.ts'

declare module 'fastify' {
  interface FastifyRequest {
    caller: Caller
    credentials: Credentials | undefined
  }
}

export interface DoorOptions {
  readonly clock: () => number
  /** The guard of keyed mode; undefined: open mode. */
  readonly gate: Gate | undefined
  readonly public_url: () => string
  /** The port callers must name in Host; known only once the server listens. */
  readonly port: () => number
  readonly rate_limit_per_minute: number
  /** Somebody tried what is not theirs. */
  readonly onSecurityEvent: (event: SecurityEvent) => void
}

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

/** How often in a minute one caller may name what does not exist, or show what is no credential. */
const MISSES_PER_MINUTE = 60

/** Refusals that tell of somebody who tried what is not theirs. */
const SUSPICIOUS: readonly string[] = [
  'credential_invalid',
  'role_not_allowed',
  'not_yours',
  'step_up_required',
  'passkey_refused',
  'cross_site_request',
  'host_not_allowed',
] satisfies ErrorCode[]

export interface Door {
  /** Hears of every refusal before it is answered, and says what is answered. */
  onRefusal(error: unknown, request: FastifyRequest, reply: FastifyReply): unknown
}

/** Lets requests in, or not: from where they come, who makes them, and how often. */
export function addDoor(app: FastifyInstance, options: DoorOptions): Door {
  app.decorateRequest('caller')
  app.decorateRequest('credentials', undefined)
  return options.gate === undefined ? guardOpen(app, options) : guardKeyed(app, options, options.gate)
}

/** A hook with a callback costs no promise, and every request passes here. */
function guardOpen(app: FastifyInstance, { port, clock, rate_limit_per_minute }: DoorOptions): Door {
  const limit = rateLimit('caller', rate_limit_per_minute, clock)
  app.addHook('onRequest', (request, reply, done) => {
    request.caller = LOCAL_CALLER
    const arrival = arrivalOf(request)
    done(repeatedRefusal(request.raw.rawHeaders) ?? localRefusal(arrival, port()) ?? limit(request.ip, reply))
  })
  return { onRefusal: (error) => error }
}

function guardKeyed(app: FastifyInstance, options: DoorOptions, gate: Gate): Door {
  const { clock, public_url, port, rate_limit_per_minute, onSecurityEvent } = options
  const limitAddress = rateLimit('address', rate_limit_per_minute, clock)
  const limitCaller = rateLimit('caller', rate_limit_per_minute, clock)
  const limitTenant = rateLimit('tenant', 0, clock)
  const misses = rateLimiter(MISSES_PER_MINUTE, clock)

  function guesserRefusal(
    { isAllowed, reset_s }: Allowance,
    reply: FastifyReply,
  ): AuthorityError | undefined {
    if (isAllowed) return undefined
    reply.header('retry-after', String(reset_s))
    return new AuthorityError(
      'rate_limited',
      'Too many requests named what does not exist or showed what is no credential. Wait for the number of seconds in the Retry-After header.',
    )
  }

  /** Whoever is known is told apart by name; all others by where they come from. */
  function countMiss({ caller, ip }: FastifyRequest, reply: FastifyReply): AuthorityError | undefined {
    const who = caller.role === 'public' ? neighbourhoodOf(ip) : caller.name
    const allowance = misses.count(who)
    return caller.role === 'public' ? guesserRefusal(allowance, reply) : undefined
  }

  async function admit(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const arrival = arrivalOf(request)
    refuse(
      repeatedRefusal(request.raw.rawHeaders) ??
        hostRefusal(arrival, public_url(), port()) ??
        limitAddress(neighbourhoodOf(request.ip), reply),
    )
    if (isPublic(request)) return
    const credentials = credentialsOf(arrival, request.url, public_url())
    request.credentials = credentials
    const caller = await gate.identify(credentials)
    request.caller = caller
    const operation = operationOf(request)
    if (operation !== undefined) assertRole(caller, operation)
    if (caller.role === 'public') return
    if (caller.role === 'human') refuse(forgeryRefusal(arrival, public_url(), caller.csrf_token))
    refuse(guesserRefusal(misses.look(caller.name), reply))
    refuse(limitCaller(caller.name, reply))
    refuse(limitTenant(caller.tenant_id, reply, await gate.tenantLimit(caller.tenant_id)))
  }

  app.addHook('onRequest', async (request, reply) => {
    request.caller = PUBLIC_CALLER
    await admit(request, reply)
  })

  return {
    onRefusal(error, request, reply) {
      const refusal = refusalOf(error)
      if (refusal === undefined) return error
      const tired = isMiss(refusal, request.caller) ? countMiss(request, reply) : undefined
      if (tired !== undefined) return tired
      const { caller, ip, routeOptions } = request
      const { code, members } = refusal
      if (SUSPICIOUS.includes(code))
        onSecurityEvent({
          code,
          reason: typeof members.reason === 'string' ? members.reason : undefined,
          operation: routeOptions.config?.operation ?? 'page',
          caller: caller.name,
          tenant_id: caller.tenant_id,
          address: ip,
          ...namesOf(request),
        })
      if (ERRORS[code].status === 401) reply.header('www-authenticate', CHALLENGE)
      if (refusal instanceof CredentialRefused) reply.headers(refusal.headers)
      return error
    },
  }
}

/**
 * Whether somebody guesses. A good proof that only lacks a nonce is no guess; neither is what others have shown to a caller
 * who is known: they could use up its guesses.
 */
function isMiss(refusal: AuthorityError, caller: Caller): boolean {
  if (refusal.code.endsWith('_unknown')) return true
  if (refusal instanceof CredentialRefused && 'dpop-nonce' in refusal.headers) return false
  return ERRORS[refusal.code].status === 401 && caller.role === 'public'
}

/** What a caller without a credential is told to bring. */
const CHALLENGE = challenge('credential_missing')

function refuse(refusal: AuthorityError | undefined): void {
  if (refusal !== undefined) throw refusal
}

/** Pages ask for a credential themselves where they need one. */
function isPublic(request: FastifyRequest): boolean {
  const operation = operationOf(request)
  return operation === undefined
    ? request.routeOptions.config?.guarded !== true
    : ACCESS[operation].public === true
}

function operationOf({ routeOptions }: FastifyRequest): OperationId | undefined {
  return routeOptions.config?.operation as OperationId | undefined // addOperation sets nothing else
}

function arrivalOf({ method, socket, headers }: FastifyRequest): Arrival {
  return { method, remote_address: socket.remoteAddress, headers }
}

/** Counts in the headers of the answer. A limit of 0 is none. */
function rateLimit(name: string, limit_per_minute: number, clock: () => number) {
  const limiter = rateLimiter(limit_per_minute, clock)
  return (who: string, reply: FastifyReply, limit = limit_per_minute): AuthorityError | undefined => {
    if (limit === 0) return undefined
    const { isAllowed, remaining, reset_s } = limiter.count(who, limit)
    reply.header('ratelimit-policy', `"${name}";q=${limit};w=60`)
    reply.header('ratelimit', `"${name}";r=${remaining};t=${reset_s}`)
    if (isAllowed) return undefined
    reply.header('retry-after', String(reset_s))
    return new AuthorityError('rate_limited')
  }
}
