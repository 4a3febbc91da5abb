import type { FastifyReply, FastifyRequest } from 'fastify'

/** Sends a page that must not be cached, with a content security policy. */
export function sendPage(
  reply: FastifyReply,
  text: string,
  csp: string,
  referrer: 'no-referrer' | 'same-origin' = 'no-referrer',
): FastifyReply {
  return reply
    .type('text/html; charset=utf-8')
    .headers({ 'content-security-policy': csp, 'referrer-policy': referrer, 'cache-control': 'no-store' })
    .send(text)
}

export function queryOf({ url }: FastifyRequest): URLSearchParams {
  const at = url.indexOf('?')
  return new URLSearchParams(at < 0 ? '' : url.slice(at))
}

/** Whether the caller is a browser that opens a page, not a program or a script. */
export function wantsHtml({ headers }: FastifyRequest): boolean {
  return /(^|,)\s*text\/html\s*(;|,|$)/.test(headers.accept ?? '')
}
