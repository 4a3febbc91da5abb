import type { FastifyRequest } from 'fastify'
import { isLoopback } from '../../loopback.ts'

/**
 * Where a page of this machine should be read instead. Browsers bind passkeys and cookies to a host name: a page at
 * 127.0.0.1 has neither those of localhost nor can it make any. Undefined for everything but a page under an IP address of
 * this machine, of a service whose public address is localhost.
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
