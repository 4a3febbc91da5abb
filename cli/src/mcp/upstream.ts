import { once } from 'node:events'
import {
  type ClientRequest,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type OutgoingHttpHeaders,
  request as requestHttp,
} from 'node:http'
import { Agent, request as requestHttps } from 'node:https'
import { getCACertificates } from 'node:tls'

/** A server that speaks streamable HTTP. Only the origin of its URL is used; clients choose the paths. */
export interface Upstream {
  readonly url: URL
  /**
   * Sends the request of a client, and follows redirects of the server to itself that repeat the request. `begun` gets
   * each outgoing request before there is a response.
   */
  reach(
    request: Pick<IncomingMessage, 'method' | 'url' | 'headers'>,
    body: Buffer | undefined,
    begun: (outgoing: ClientRequest) => void,
  ): Promise<IncomingMessage>
}

/** Headers of a single connection, and headers that the guard sets itself. */
const NOT_PASSED_ON = [
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'host',
  'origin',
  'content-length',
  'accept-encoding',
  'expect',
]

const REPEATING_REDIRECTS = [307, 308]
const MAX_REDIRECTS = 5

/** `ca` contains certificates (PEM) to trust in addition to the default ones. */
export function upstreamAt(url: URL, ca?: string): Upstream {
  const isSecure = url.protocol === 'https:'
  const send = isSecure ? requestHttps : requestHttp
  const agent =
    isSecure && ca !== undefined
      ? new Agent({ keepAlive: true, ca: [...getCACertificates('default'), ca] })
      : undefined
  const reachAt: (path: string, ...parts: Parameters<Upstream['reach']>) => Promise<IncomingMessage> = async (
    path,
    { method = 'GET', headers },
    body,
    begun,
  ) => {
    const outgoing = send({
      protocol: url.protocol,
      hostname: url.hostname.replace(/^\[|\]$/g, ''),
      port: url.port,
      path,
      method,
      ...(agent !== undefined && { agent }),
      headers: {
        ...passedOn(headers),
        'accept-encoding': 'identity',
        ...(body !== undefined && { 'content-type': 'application/json', 'content-length': body.length }),
      },
    })
    begun(outgoing)
    outgoing.end(body)
    const [incoming] = (await once(outgoing, 'response')) as [IncomingMessage]
    outgoing.on('error', () => undefined) // the reader of the response gets the error
    return incoming
  }

  return {
    url,
    async reach(request, body, begun) {
      let path = request.url ?? '/'
      for (let redirects = 0; ; redirects += 1) {
        const incoming = await reachAt(path, request, body, begun)
        const target = redirectTarget(incoming, `${url.origin}${path}`)
        const isFollowed =
          target?.origin === url.origin && REPEATING_REDIRECTS.includes(incoming.statusCode ?? 0)
        if (!isFollowed || redirects === MAX_REDIRECTS) return incoming
        incoming.resume()
        path = `${target.pathname}${target.search}`
      }
    },
  }
}

/** Where a response redirects to. Undefined if it does not. */
export function redirectTarget(
  { statusCode = 0, headers: { location } }: IncomingMessage,
  base: string,
): URL | undefined {
  if (statusCode < 300 || statusCode >= 400 || location === undefined) return undefined
  return URL.parse(location, base) ?? undefined
}

export function passedOn(headers: IncomingHttpHeaders): OutgoingHttpHeaders {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !NOT_PASSED_ON.includes(name)))
}

const UNTRUSTED_CODES = [
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
]

/** The reason, for the operator, why the server could not be reached. */
export function reachingFailed(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const code = 'code' in error ? String(error.code) : ''
  // If several addresses were tried, the error has no message.
  const why = error.message === '' ? code : error.message
  return UNTRUSTED_CODES.includes(code) ? `${why} (pass its certificate with --upstream-ca)` : why
}
