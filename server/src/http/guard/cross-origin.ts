/**
 * Lets pages of other sites call the session operations, for the widget. Those operations need no credential except
 * their session's secret, and no credential that a browser might add is read: such a caller is always public.
 */
import { AuthorityError, OPERATIONS, type Operation } from '@deputize/protocol'
import type { FastifyInstance } from 'fastify'
import { PUBLIC_CALLER } from '../../access/caller.ts'
import type { OperationContext } from '../../operations/operation-context.ts'
import { isWidgetOrigin } from '../../operations/verification/passkeys/widget-origin.ts'
import type { AnswerHeaders, ArrivedRequest } from '../arrived-request.ts'
import { urlOf } from '../routes.ts'

const PREFLIGHT_S = 600

export type CrossOriginContext = Pick<OperationContext, 'access' | 'public_url' | 'widget_origins'>

/** Admits or refuses a page of another site at an operation for such pages. Undefined for every other request. */
export type OriginGuard = (
  request: ArrivedRequest,
  reply: AnswerHeaders,
) => 'admitted' | AuthorityError | undefined

/** Returns a guard whose answers name the one origin that may read them, and never allow credentials. */
export function originGuard(
  context: CrossOriginContext,
  isOwnOrigin: (origin: string) => boolean,
): OriginGuard {
  return (request, reply) => {
    const { origin } = request.headers
    if (request.routeOptions.config?.cross_origin !== true) return undefined
    reply.header('vary', 'origin')
    if (origin === undefined || isOwnOrigin(origin)) return undefined
    if (!isWidgetOrigin(origin, context)) return new AuthorityError('cross_site_request')
    request.caller = PUBLIC_CALLER
    reply.headers({
      'access-control-allow-origin': origin,
      'access-control-expose-headers': 'retry-after, x-request-id',
    })
    return 'admitted'
  }
}

/** Answers CORS preflight requests. */
export function addPreflights(app: FastifyInstance): void {
  for (const row of Object.values<Operation>(OPERATIONS)) {
    if (row.cross_origin !== true) continue
    app.options(urlOf(row), { config: { cross_origin: true } }, async (_request, reply) =>
      reply
        .code(204)
        .headers({
          'access-control-allow-methods': row.method,
          'access-control-allow-headers': 'content-type, idempotency-key',
          'access-control-max-age': String(PREFLIGHT_S),
        })
        .send(),
    )
  }
}
