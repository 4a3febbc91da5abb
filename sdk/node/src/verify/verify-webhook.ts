import type { DeputyEvent } from '../generated/operations.ts'

/** Headers of a request, as `fetch`, Node, Express, Fastify and Hono provide them. */
export type WebhookRequestHeaders =
  | { get(name: string): string | null | undefined }
  | Readonly<Record<string, string | readonly string[] | undefined>>

/** A message to verify. */
export interface ReceivedWebhook {
  /** The body as it arrived. A body that was parsed and serialized again has different bytes and no valid signature. */
  readonly body: string | Uint8Array
  readonly headers: WebhookRequestHeaders
  /** `whsec_…` (v1) or `whpk_…` (v1a). Pass several while you rotate secrets. */
  readonly secret: string | readonly string[]
  /** How old, and how far in the future, a message may be. Default: 300 seconds. */
  readonly tolerance_s?: number | undefined
  /** The current time in milliseconds. Default: this machine's clock. */
  readonly now_ms?: number | undefined
}

/** A message with a valid signature. `Event` is that of the format `deputy`; for other formats, pass your own type. */
export interface VerifiedWebhook<Event = DeputyEvent> {
  /** The same for every attempt to deliver an event. Drop a message whose ID you have processed. */
  readonly id: string
  /** When this attempt was signed. */
  readonly sent_at: Date
  /** The parsed body: an event. */
  readonly event: Event
}

/** Why a message was refused. */
export type WebhookRefusedCode =
  | 'headers_missing'
  | 'too_old'
  | 'too_new'
  | 'signature_invalid'
  | 'body_invalid'

/** The message has no valid signature, is too old or too new, or is not an event. Respond with 400. */
export class WebhookRefused extends Error {
  readonly code: WebhookRefusedCode

  constructor(code: WebhookRefusedCode, detail: string) {
    super(detail)
    this.name = 'WebhookRefused'
    this.code = code
  }
}

const TOLERANCE_S = 300

/**
 * Verifies a webhook by the Standard Webhooks specification and returns its event. Throws `WebhookRefused` if it is not
 * genuine, and a TypeError if a secret is malformed or missing.
 *
 * @example
 * ```ts
 * import { createServer } from 'node:http'
 * import { buffer } from 'node:stream/consumers'
 * import { verifyWebhook, WebhookRefused } from '@deputize/sdk'
 *
 * const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'
 * const server = createServer(async (request, response) => {
 *   const body = await buffer(request)
 *   try {
 *     const { event } = await verifyWebhook({ body, headers: request.headers, secret })
 *     if (event.type === 'token.revoked') console.log(event.data.agent_id)
 *     response.writeHead(204).end()
 *   } catch (error) {
 *     response.writeHead(error instanceof WebhookRefused ? 400 : 500).end()
 *   }
 * })
 * server.close()
 * ```
 */
export async function verifyWebhook<Event = DeputyEvent>(
  received: ReceivedWebhook,
): Promise<VerifiedWebhook<Event>> {
  const { body, headers, secret, tolerance_s = TOLERANCE_S, now_ms = Date.now() } = received
  const secrets = typeof secret === 'string' ? [secret] : (secret ?? [])
  if (secrets.length === 0 || secret === '')
    throw new TypeError('secret is missing. Pass the secret that the webhook was created with.')
  const id = headerOf(headers, 'webhook-id')
  const timestamp = headerOf(headers, 'webhook-timestamp')
  const signature = headerOf(headers, 'webhook-signature')
  if (id === undefined || timestamp === undefined || signature === undefined || !/^\d{1,11}$/.test(timestamp))
    throw new WebhookRefused(
      'headers_missing',
      'The headers webhook-id, webhook-timestamp and webhook-signature are required.',
    )
  assertRecent(Number(timestamp), now_ms / 1000, tolerance_s)
  const bytes = typeof body === 'string' ? new TextEncoder().encode(body) : body
  const content = joined(new TextEncoder().encode(`${id}.${timestamp}.`), bytes)
  if (!(await isSigned(content, signature, secrets)))
    throw new WebhookRefused('signature_invalid', 'No signature of the message is valid.')
  return { id, sent_at: new Date(Number(timestamp) * 1000), event: eventIn<Event>(bytes) }
}

function assertRecent(sent_s: number, now_s: number, tolerance_s: number): void {
  if (sent_s < now_s - tolerance_s)
    throw new WebhookRefused('too_old', `The message was signed more than ${tolerance_s} seconds ago.`)
  if (sent_s > now_s + tolerance_s)
    throw new WebhookRefused('too_new', 'The message was signed in the future. Compare the clocks.')
}

/** Whether any signature matches any secret. Web Crypto compares in constant time. */
async function isSigned(content: Bytes, header: string, secrets: readonly string[]): Promise<boolean> {
  const signatures = header.split(' ').map((one) => one.split(','))
  let isValid = false
  for (const secret of secrets) {
    const { version, algorithm, key } = await importSecret(secret)
    for (const [given, text = ''] of signatures) {
      const bytes = given === version ? base64Bytes(text) : undefined
      if (bytes !== undefined && (await crypto.subtle.verify(algorithm, key, bytes, content))) isValid = true
    }
  }
  return isValid
}

async function importSecret(secret: string) {
  const [, prefix = '', text = ''] = /^(whsec_|whpk_)(.+)$/.exec(secret.trim()) ?? []
  const bytes = base64Bytes(text)
  if (bytes === undefined) throw new TypeError('secret must be whsec_ or whpk_ and base64.')
  if (prefix === 'whpk_')
    return {
      version: 'v1a',
      algorithm: 'Ed25519',
      key: await crypto.subtle.importKey('raw', bytes, 'Ed25519', false, ['verify']),
    }
  if (bytes.length < 24) throw new TypeError('secret must have at least 24 bytes.')
  const algorithm = { name: 'HMAC', hash: 'SHA-256' }
  const key = await crypto.subtle.importKey('raw', bytes, algorithm, false, ['verify'])
  return { version: 'v1', algorithm: 'HMAC', key }
}

type Bytes = Uint8Array<ArrayBuffer>

function joined(first: Uint8Array, second: Uint8Array): Bytes {
  const all = new Uint8Array(first.length + second.length)
  all.set(first)
  all.set(second, first.length)
  return all
}

function base64Bytes(text: string): Bytes | undefined {
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(text)) return undefined
  try {
    return Uint8Array.from(atob(text), (char) => char.charCodeAt(0))
  } catch {
    return undefined
  }
}

function headerOf(headers: WebhookRequestHeaders, name: string): string | undefined {
  const value = typeof headers.get === 'function' ? headers.get(name) : memberOf(headers, name)
  return typeof value === 'string' && value !== '' ? value : undefined
}

/** Finds a header in any case. Node lowercases names, but some cloud functions receive them as they were sent. */
function memberOf(headers: object, name: string): unknown {
  return Object.entries(headers).find(([given]) => given.toLowerCase() === name)?.[1]
}

function eventIn<Event>(bytes: Uint8Array): Event {
  const event = parsed(bytes)
  // The service has signed it, in the format that the receiver chose for the webhook.
  if (isEvent(event)) return event as Event
  throw new WebhookRefused('body_invalid', 'The body is not an event in JSON.')
}

/** Whether the value is an event: an OCSF row has a class, and events in all other formats have a type. */
function isEvent(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false
  const { type, class_uid }: { type?: unknown; class_uid?: unknown } = value
  return typeof type === 'string' || typeof class_uid === 'number'
}

function parsed(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
  } catch {
    return undefined
  }
}
