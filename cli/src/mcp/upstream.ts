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

/** A server that speaks streamable HTTP. Only the origin of its address counts: paths are those that clients ask for. */
export interface Upstream {
  readonly url: URL
  /** Sends a request as a client did. `begun` learns of what was sent, before there is an answer. */
  reach(
    request: Pick<IncomingMessage, 'method' | 'url' | 'headers'>,
    body: Buffer | undefined,
    begun: (outgoing: ClientRequest) => void,
  ): Promise<IncomingMessage>
}

/** What belongs to one connection, and what the guard says itself. */
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

/** `ca` holds certificates (PEM) that are believed besides those that every program believes. */
export function upstreamAt(url: URL, ca?: string): Upstream {
  const isSecure = url.protocol === 'https:'
  const send = isSecure ? requestHttps : requestHttp
  const agent =
    isSecure && ca !== undefined
      ? new Agent({ keepAlive: true, ca: [...getCACertificates('default'), ca] })
      : undefined
  return {
    url,
    async reach({ method = 'GET', url: path = '/', headers }, body, begun) {
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
      outgoing.on('error', () => undefined) // whoever reads the answer finds out
      return incoming
    },
  }
}

export function passedOn(headers: IncomingHttpHeaders): OutgoingHttpHeaders {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !NOT_PASSED_ON.includes(name)))
}

const UNTRUSTED = [
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
]

/** Why a server could not be reached, for the operator. */
export function reachingFailed(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const code = 'code' in error ? String(error.code) : ''
  // Several addresses were tried, and the error as a whole has no words.
  const why = error.message === '' ? code : error.message
  return UNTRUSTED.includes(code) ? `${why} (--upstream-ca names a certificate to believe)` : why
}
