/** The guard for Hono, on any runtime. */
import type { Context, HonoRequest, MiddlewareHandler } from 'hono'
import type { GuardedRequest, RequestAuthority } from './guard/admission.ts'
import { requestGuard } from './guard/guard.ts'
import { hashedBody } from './guard/hashed-body.ts'
import { checkRoute, type GuardOptions, type RouteOptions, requestedAction } from './guard/options.ts'
import { BodyNotBound, NO_BODY_SHA256, streamSha256 } from './guard/request-body.ts'
import { sha256Hex } from './sha256.ts'

export type { RequestAuthority } from './guard/admission.ts'
export type { GuardOptions, RouteOptions } from './guard/options.ts'

/** For `new Hono<{ Variables: AuthorityVariables }>()`: the type of `c.get('authority')` behind a guard. */
export interface AuthorityVariables {
  authority: RequestAuthority
}

/** Creates the guard of a route: `authority(action, resource, options)`. */
export interface HonoAuthority {
  (
    action: string,
    resource: string | ((context: Context) => string),
    options?: RouteOptions<Context>,
  ): MiddlewareHandler<{ Variables: AuthorityVariables }>
  /** Serves the metadata of this API (RFC 9728) and names it in every 401. */
  serveMetadata(app: HonoApp): void
}

/** The part of an app that is used. */
export interface HonoApp {
  get(path: string, handler: (context: Context) => Promise<Response>): unknown
}

/**
 * Creates `authority(action, resource)`, which guards a route. Before the handler runs, the guard verifies the token and asks
 * the service to authorize the action. After the response, it completes the action record.
 *
 * @example
 * ```ts
 * import { Hono } from 'hono'
 * import { type AuthorityVariables, deputyGuard } from '@deputize/sdk/hono'
 *
 * const authority = deputyGuard({ url: 'http://127.0.0.1:8420' })
 * const app = new Hono<{ Variables: AuthorityVariables }>()
 *
 * app.get('/events', authority('read', 'calendar:events'), (c) =>
 *   c.json({ reader: c.get('authority').agent_id, events: ['stand-up'] }),
 * )
 * ```
 */
export function deputyGuard(options: GuardOptions): HonoAuthority {
  const { admit, description } = requestGuard(options)
  const guardOf: GuardOf = (action, resource, more = {}) => {
    checkRoute(action, resource, more)
    description.addScope(action, resource)
    return async (context, next) => {
      const requested = requestedAction(action, resource, more, context)
      const decision = await admit(guardedRequest(context), requested)
      if ('refused' in decision) {
        const { status, headers, body } = decision.refused
        return new Response(JSON.stringify(body), { status, headers })
      }
      const { authority, during, finish } = decision.admitted
      context.set('authority', authority)
      let succeeded = false
      const end = async (result_hash: string | undefined, isWhole: boolean) => {
        const completed = finish?.({ succeeded: succeeded && isWhole, result_hash })
        if (completed !== undefined && !outlivesResponse(completed, context)) await completed
      }
      try {
        await during(next)
      } catch (error) {
        await end(undefined, false) // Hono handles errors, but not other values that are thrown
        throw error
      }
      if (finish === undefined) return undefined
      const { res, req } = context
      succeeded = context.error === undefined && res.status < 400
      // Hono answers HEAD with a copy without the body. Nothing reads the body then, nor if the caller has left.
      if (res.body === null || req.method === 'HEAD' || hasLeft(context)) await end(undefined, true)
      else context.res = new Response(hashedBody(res.body, end), res)
      return undefined
    }
  }
  return Object.assign(guardOf, {
    serveMetadata(app: HonoApp) {
      description.advertise()
      app.get(description.path, async () => Response.json(await description.document()))
    },
  })
}

type GuardOf = (
  action: string,
  resource: string | ((context: Context) => string),
  options?: RouteOptions<Context>,
) => MiddlewareHandler<{ Variables: AuthorityVariables }>

function guardedRequest(context: Context): GuardedRequest {
  const { req } = context
  return {
    method: req.method,
    // Read only for proofs and by the service, so most offline routes parse no URL.
    get target() {
      const { pathname, search } = new URL(req.url)
      return `${pathname}${search}`
    },
    header: (name) => req.header(name),
    get route() {
      return req.routePath
    },
    bodySha256: (max_bytes) => bodySha256(req, max_bytes),
  }
}

/** The forms in which Hono caches a body without loss. */
const EXACT_FORMS = ['text', 'arrayBuffer', 'blob'] as const

/** Reads a copy, so that the handler can still read the body in any way. */
async function bodySha256(request: HonoRequest, max_bytes: number): Promise<string> {
  const { raw, bodyCache, method } = request
  if (method === 'GET' || method === 'HEAD') return NO_BODY_SHA256
  if (raw.bodyUsed) {
    // Hono makes every other form from a cached one, so the handler sees the same bytes.
    if (!EXACT_FORMS.some((form) => bodyCache[form] !== undefined)) throw new BodyNotBound(READ_BEFORE)
    return sha256Hex(new Uint8Array(await request.arrayBuffer()))
  }
  const { body } = raw.clone()
  return body === null ? NO_BODY_SHA256 : streamSha256(body, max_bytes)
}

const READ_BEFORE =
  'It was read before the guard ran. Put the guard first, or read it with c.req.json(), c.req.text() or c.req.arrayBuffer().'

/**
 * Whether the runtime continues the work after the response has ended. If it may stop everything then, the response
 * must wait for the work.
 */
function outlivesResponse(work: Promise<void>, context: Context): boolean {
  const lifetime = lifetimeOf(context)
  if (lifetime?.waitUntil === undefined) return isOnServer(context)
  lifetime.waitUntil(work)
  return true
}

/** Whether the caller has left. A Node server then doesn't even cancel the response. */
function hasLeft({ env }: Context): boolean {
  return env?.outgoing?.destroyed === true
}

/** Returns what keeps a worker alive for its request. Not every adapter provides all of it. */
function lifetimeOf(context: Context): Partial<Context['executionCtx']> | undefined {
  try {
    return context.executionCtx
  } catch {
    return undefined
  }
}

/** Set on platforms that freeze or throttle a process between requests. */
const MARKS_OF_FUNCTIONS = ['AWS_LAMBDA_FUNCTION_NAME', 'K_SERVICE', 'VERCEL']

/** Whether a Node server runs the app and keeps running. Only Node servers pass on their own request. */
function isOnServer({ env }: Context): boolean {
  const variables = globalThis.process?.env ?? {} // not every runtime has a process
  return env?.incoming !== undefined && MARKS_OF_FUNCTIONS.every((name) => variables[name] === undefined)
}
