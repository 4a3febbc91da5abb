/** The guard for Hono, on any runtime. */
import type { Context, MiddlewareHandler } from 'hono'
import type { RequestAuthority } from './guard/admission.ts'
import { requestGuard } from './guard/guard.ts'
import { type GuardOptions, type RouteOptions, requestedAction } from './guard/options.ts'
import { runningHash } from './result-hash.ts'

export type { RequestAuthority } from './guard/admission.ts'
export type { GuardOptions, RouteOptions } from './guard/options.ts'

/** For `new Hono<{ Variables: AuthorityVariables }>()`: the type of `c.get('authority')` behind a guard. */
export interface AuthorityVariables {
  authority: RequestAuthority
}

/** Creates the guard of a route: `authority(action, resource, options)`. */
export type HonoAuthority = (
  action: string,
  resource: string | ((context: Context) => string),
  options?: RouteOptions<Context>,
) => MiddlewareHandler<{ Variables: AuthorityVariables }>

/**
 * Creates `authority(action, resource)`, which guards a route. Before the handler runs, the guard verifies the token and asks
 * the service to authorize the action. At the end of the response, it completes the action record.
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
  const { admit } = requestGuard(options)
  return (action, resource, more = {}) => {
    return async (context, next) => {
      const { method, url } = context.req
      const { pathname, search } = new URL(url)
      const header = (name: string) => context.req.header(name)
      const requested = requestedAction(action, resource, more, context)
      const decision = await admit({ method, target: `${pathname}${search}`, header }, requested)
      if ('refused' in decision) {
        const { status, headers, body } = decision.refused
        return new Response(JSON.stringify(body), { status, headers })
      }
      const { authority, during, finish } = decision.admitted
      context.set('authority', authority)
      await during(next)
      if (finish === undefined) return undefined
      const succeeded = context.error === undefined && context.res.status < 400
      if (context.res.body === null) await finish({ succeeded, result_hash: undefined })
      else
        context.res = hashedResponse(context.res, (result_hash, isWhole) =>
          finish({ succeeded: succeeded && isWhole, result_hash }),
        )
      return undefined
    }
  }
}

/**
 * The same response, hashed while it is sent. It ends after the record is complete, because edge runtimes stop all work once
 * the response has ended.
 */
function hashedResponse(
  response: Response,
  finish: (result_hash: string | undefined, isWhole: boolean) => Promise<void>,
): Response {
  const reader = response.body?.getReader()
  const hash = runningHash()
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const part = await reader?.read()
        if (part === undefined || part.done) {
          await finish(hash.text(), true)
          controller.close()
        } else {
          hash.add(part.value)
          controller.enqueue(part.value)
        }
      } catch (error) {
        await finish(undefined, false)
        controller.error(error)
      }
    },
    async cancel(reason) {
      await reader?.cancel(reason)
      await finish(undefined, true) // the handler has responded, even if the client disconnected
    },
  })
  return new Response(body, response)
}
