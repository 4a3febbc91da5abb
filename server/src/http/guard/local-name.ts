import type { FastifyRequest } from 'fastify'
import { isLoopback } from '../../loopback.ts'

/**
 * Returns the localhost URL of a page that was requested by an IP address of this machine, if the service's public
 * address is localhost. Browsers bind passkeys and cookies to a host name: a page at 127.0.0.1 can neither use those of
 * localhost nor create any. Returns undefined for every other request.
 */
export function localNameAddress(
  {
    method,
    url,
    headers,
    host,
    hostname,
  }: Pick<FastifyRequest, 'method' | 'url' | 'headers' | 'host' | 'hostname'>,
  public_url: () => string,
): string | undefined {
  if (method !== 'GET' || headers.accept?.includes('text/html') !== true) return undefined
  if (hostname !== '[::1]' && !isLoopback(hostname)) return undefined
  const wanted = new URL(public_url())
  const isSamePort = wanted.port === URL.parse(`http://${host}`)?.port
  return wanted.hostname === 'localhost' && isSamePort ? `${wanted.origin}${url}` : undefined
}
