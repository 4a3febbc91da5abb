/** The guard for Hono, on any runtime. */
import type { Context, MiddlewareHandler } from 'hono'
import {
  askedFor,
  type GuardOptions,
  guard,
  type RequestAuthority,
  type RouteOptions,
} from './guard/guard.ts'
import { runningHash } from './result-hash.ts'

export type { GuardOptions, RequestAuthority, RouteOptions } from './guard/guard.ts'

/** For `new Hono<{ Variables: AuthorityVariables }>()`: what `c.get('authority')` answers behind a guard. */
export interface AuthorityVariables {
  authority: RequestAuthority
}

/** Makes the guard of a route: `authority(action, resource, options)`. */
export type HonoAuthority = (
  action: string,
  resource: string | ((context: Context) => string),
  options?: RouteOptions<Context>,
) => MiddlewareHandler<{ Variables: AuthorityVariables }>

/** Makes `authority(action, resource)`, to stand before a handler. */
export function deputyGuard(options: GuardOptions): HonoAuthority {
  const { admit } = guard(options)
  return (action, resource, more = {}) => {
    return async (context, next) => {
      const { method, url } = context.req
      const { pathname, search } = new URL(url)
      const header = (name: string) => context.req.header(name)
      const asked = askedFor(action, resource, more, context)
      const admission = await admit({ method, target: `${pathname}${search}`, header }, asked)
      if ('refused' in admission) {
        const { status, headers, body } = admission.refused
        return new Response(JSON.stringify(body), { status, headers })
      }
      const { authority, during, finish } = admission.admitted
      context.set('authority', authority)
      await during(next)
      if (finish === undefined) return undefined
      const succeeded = context.error === undefined && context.res.status < 400
      if (context.res.body === null) await finish({ succeeded, result_hash: undefined })
      else
        context.res = watched(context.res, (result_hash, isWhole) =>
          finish({ succeeded: succeeded && isWhole, result_hash }),
        )
      return undefined
    }
  }
}

/**
 * The same answer, hashed on its way out. Its end waits for the record: where nothing may run after the answer, as on edge
 * runtimes, the record would stay open otherwise.
 */
function watched(
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
      await finish(undefined, true) // the handler has answered, even if nobody listened to the end
    },
  })
  return new Response(body, response)
}
