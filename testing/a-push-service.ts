import { createECDH, createPublicKey, randomBytes, verify } from 'node:crypto'
import ece from 'http_ece'
import { aServer } from './a-server.ts'
import type { TestScope } from './scope.ts'

/** A push service (RFC 8030) with one browser: it checks the sender (RFC 8292) and decrypts messages (RFC 8291). */
export interface PushService {
  readonly subscription: {
    readonly endpoint: string
    readonly keys: { readonly p256dh: string; readonly auth: string }
  }
  /** The messages that the browser shows. */
  readonly shown: Record<string, string>[]
  /** For how many seconds each of them is kept for a browser that is away. */
  readonly ttls: number[]
  /** The reasons for requests that a push service would refuse. */
  readonly refused: string[]
  /** Answers all later messages with this status. */
  answerWith(status: number): void
}

export async function aPushService(scope: TestScope): Promise<PushService> {
  const browser = createECDH('prime256v1')
  browser.generateKeys()
  const auth = randomBytes(16)
  const shown: Record<string, string>[] = []
  const ttls: number[] = []
  const refused: string[] = []
  let status = 201
  const url = await aServer(scope, (request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const { headers } = request
      const fault = faultOf(headers, url)
      if (fault !== undefined) refused.push(fault)
      else if (status < 300) {
        ttls.push(Number(headers.ttl))
        shown.push(
          JSON.parse(
            String(
              ece.decrypt(Buffer.concat(chunks), {
                version: 'aes128gcm',
                privateKey: browser,
                authSecret: auth,
              }),
            ),
          ),
        )
      }
      response.writeHead(fault === undefined ? status : 400).end()
    })
  })
  return {
    subscription: {
      endpoint: `${url}/push/one`,
      keys: { p256dh: browser.getPublicKey('base64url'), auth: auth.toString('base64url') },
    },
    shown,
    ttls,
    refused,
    answerWith(next) {
      status = next
    },
  }
}

function faultOf(headers: NodeJS.Dict<string | string[]>, audience: string): string | undefined {
  if (!/^\d+$/.test(String(headers.ttl))) return 'no TTL'
  if (headers['content-encoding'] !== 'aes128gcm') return 'not encrypted'
  const [, head = '', body = '', signature = '', k = ''] =
    /^vapid t=([\w-]+)\.([\w-]+)\.([\w-]+), k=([\w-]+)$/.exec(String(headers.authorization)) ?? []
  const point = Buffer.from(k, 'base64url')
  if (point.length !== 65) return 'no key'
  const x = point.subarray(1, 33).toString('base64url')
  const y = point.subarray(33).toString('base64url')
  const key = createPublicKey({ format: 'jwk', key: { kty: 'EC', crv: 'P-256', x, y } })
  const isSigned = verify(
    'sha256',
    Buffer.from(`${head}.${body}`),
    { key, dsaEncoding: 'ieee-p1363' },
    Buffer.from(signature, 'base64url'),
  )
  if (!isSigned) return 'not signed'
  const { aud, sub } = JSON.parse(Buffer.from(body, 'base64url').toString())
  if (aud !== audience) return `for ${aud}`
  return /^(mailto:|https?:)/.test(sub) ? undefined : 'no contact'
}
