/** Endpoints for external verification providers: their callbacks, as raw bytes, and browsers that return from them. */
import type { FastifyInstance } from 'fastify'
import { takeCallback } from '../../operations/external/take-callback.ts'
import { takeReturn } from '../../operations/external/take-return.ts'
import type { OperationContext } from '../../operations/operation-context.ts'
import { queryOf } from './page-answers.ts'

const CALLBACK_BYTES = 256 * 1024

export interface ProviderCallbackOptions {
  readonly context: OperationContext
}

export function addProviderCallbacks(app: FastifyInstance, { context }: ProviderCallbackOptions): void {
  if (context.external.providers.list.length === 0) return
  app.get<{ Params: { name: string } }>('/v1/vat/auth/providers/:name/return', async (request, reply) => {
    const path = await takeReturn(request.params.name, queryOf(request), context)
    return reply
      .headers({ 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' })
      .redirect(path, 303)
  })
  app.register(async (scope) => {
    scope.removeAllContentTypeParsers()
    // The signature is over the bytes, so nothing may parse them first.
    scope.addContentTypeParser(
      '*',
      { parseAs: 'buffer', bodyLimit: CALLBACK_BYTES },
      (_request, body, done) => done(null, body),
    )
    scope.post<{ Params: { name: string } }>(
      '/v1/vat/auth/providers/:name/callback',
      async (request, reply) => {
        const body = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0)
        await takeCallback(request.params.name, body, distinctHeaders(request.raw.rawHeaders), context)
        return reply.header('cache-control', 'no-store').send({ received: true })
      },
    )
  })
}

/** Returns every value of every header, so that repeats are visible. `raw_headers` alternates names and values. */
function distinctHeaders(raw_headers: readonly string[]): Record<string, string[]> {
  const headers = new Map<string, string[]>()
  for (let index = 0; index + 1 < raw_headers.length; index += 2) {
    const name = String(raw_headers[index]).toLowerCase()
    headers.set(name, [...(headers.get(name) ?? []), String(raw_headers[index + 1])])
  }
  return Object.fromEntries(headers)
}
