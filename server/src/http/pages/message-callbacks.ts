/** Endpoints without a sign-in: links that end a channel, and calls from Slack. Neither decides anything. */
import { AuthorityError } from '@deputize/protocol'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { targetText } from '../../messages/channel.ts'
import { takeSlackCall } from '../../operations/notifications/take-slack-call.ts'
import { channelOfLink, unsubscribe } from '../../operations/notifications/unsubscribe.ts'
import type { OperationContext } from '../../operations/operation-context.ts'
import { PEOPLE_STYLE } from '../people/people-style.ts'
import { page, readableHtml } from './html.ts'
import { sendPage } from './page-answers.ts'

const CALL_BYTES = 64 * 1024
const UNSUBSCRIBE_CSP =
  "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"

export function addMessageCallbacks(
  app: FastifyInstance,
  { context }: { readonly context: OperationContext },
): void {
  // Programs that scan mail follow its links, so only the button on the page ends anything.
  app.get<{ Params: { token: string } }>('/unsubscribe/:token', async ({ params }, reply) => {
    const channel = await channelOfLink(params.token, context)
    if (channel === 'invalid') return sendInvalid(reply)
    const text = channel === 'ended' ? endedPage() : unsubscribePage(targetText(channel.document))
    return sendPage(reply, text, UNSUBSCRIBE_CSP)
  })
  app.register(async (scope) => {
    scope.removeAllContentTypeParsers()
    // Slack signs the bytes. Mail programs send RFC 8058's form in more than one content type.
    scope.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit: CALL_BYTES }, (_request, body, done) =>
      done(null, body),
    )
    scope.post<{ Params: { token: string } }>('/unsubscribe/:token', async ({ params }, reply) => {
      if (!(await unsubscribe(params.token, context))) return sendInvalid(reply)
      return sendPage(reply, endedPage(), UNSUBSCRIBE_CSP)
    })
    scope.post<{ Params: { tenant_id: string } }>(
      '/v1/vat/notifications/slack/:tenant_id/interactions',
      async (request, reply) => {
        const body = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0)
        const call = {
          timestamp: single(request.headers['x-slack-request-timestamp']),
          signature: single(request.headers['x-slack-signature']),
          body,
        }
        const answer = await takeSlackCall(request.params.tenant_id, call, context)
        if (answer === undefined) throw new AuthorityError('callback_refused')
        return reply.header('cache-control', 'no-store').send(answer)
      },
    )
  })
}

/** Returns the value of a header. A repeated header is ignored. */
function single(value: string | string[] | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined
}

function unsubscribePage(target: string): string {
  return page(
    'Stop these messages?',
    `<style>${PEOPLE_STYLE}</style>
<p class="lead">Deputy sends messages to ${readableHtml(target)}. Approval requests stay open on your page.</p>
<form method="post"><button name="List-Unsubscribe" value="One-Click">Stop these messages</button></form>`,
  )
}

/** Mail programs report a failure to the person, who would otherwise believe that the messages end. */
function sendInvalid(reply: FastifyReply): FastifyReply {
  const text = page(
    'This link does not work',
    '<p class="lead">It is not complete, so nothing was changed. Open the whole link from the email, or remove the address on <a href="/me">your page</a>.</p>',
  )
  return sendPage(reply.code(404), text, UNSUBSCRIBE_CSP)
}

function endedPage(): string {
  return page(
    'No more messages',
    '<p class="lead">Deputy no longer sends messages to this address. You can add it again on <a href="/me">your page</a>.</p>',
  )
}
