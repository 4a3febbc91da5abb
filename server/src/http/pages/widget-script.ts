/** The script of the `deputy-verify` element, for pages of any site. */
import { readFileSync } from 'node:fs'
import type { FastifyInstance, FastifyReply } from 'fastify'
import type { OperationContext } from '../../operations/operation-context.ts'

/** Built by `node web/build.ts`. */
const WIDGET_SCRIPT = readFileSync(new URL('../../../../web/dist/widget.js', import.meta.url), 'utf8')

/** The versioned path only ever serves this script, so that a page can pin its hash and caches can keep it. */
export function addWidgetScript(
  app: FastifyInstance,
  { context }: { readonly context: OperationContext },
): void {
  const config = { for_other_sites: true }
  app.get('/widget.js', { config }, async (_request, reply) => send(reply, 'public, max-age=3600'))
  app.get(`/widget-${context.node.version}.js`, { config }, async (_request, reply) =>
    send(reply, 'public, max-age=31536000, immutable'),
  )
  // Passkeys of this service work on these sites (WebAuthn Level 3, related origins).
  app.get('/.well-known/webauthn', { config }, async (_request, reply) =>
    reply.header('cache-control', 'public, max-age=300').send({ origins: context.widget_origins }),
  )
}

/** Module scripts and audio worklets from other origins need CORS, and isolated pages need the resource policy. */
function send(reply: FastifyReply, cache_control: string): FastifyReply {
  return reply
    .type('text/javascript; charset=utf-8')
    .headers({
      'cache-control': cache_control,
      'access-control-allow-origin': '*',
      'cross-origin-resource-policy': 'cross-origin',
    })
    .send(WIDGET_SCRIPT)
}
