/** Carries one message over one channel, once. Retries, order and quiet hours are decided elsewhere. */
import { createHmac } from 'node:crypto'
import type { ChannelKind } from '@deputize/protocol'
import { OUTBOUND_REASONS, type Outbound, OutboundError, type OutboundRequest } from '../outbound/outbound.ts'
import { type ChannelTarget, POSTED_KINDS } from './channel.ts'
import type { Mailer, SendOutcome } from './mailer.ts'
import type { Message } from './message.ts'
import { encryptPush } from './push/encrypt.ts'
import type { VapidKey } from './push/vapid.ts'
import { renderMail } from './render/mail.ts'
import { renderPush } from './render/push.ts'
import { renderSlack } from './render/slack.ts'
import { renderTeams } from './render/teams.ts'

export interface MessengerOptions {
  /** Undefined: no mail server is configured. */
  readonly mailer: Mailer | undefined
  readonly call: Outbound
  readonly vapid: VapidKey
  /** The contact that push services get for this deployment. */
  readonly contact: () => string
  readonly clock: () => number
}

export interface Messenger {
  /** The kinds of channels that this deployment can use. */
  readonly kinds: readonly ChannelKind[]
  readonly push_key: string
  /** Sends a message once. `unsubscribe_url` ends the channel with one click; emails carry it. */
  send(target: ChannelTarget, message: Message, unsubscribe_url: string | undefined): Promise<SendOutcome>
}

/** How long a push service keeps a message without an end for a browser that is away. */
const PUSH_TTL_S = 3600
/** Push services keep no message for longer than 28 days, and some refuse it. */
const MOST_TTL_S = 28 * 24 * 3600

export function openMessenger({ mailer, call, vapid, contact, clock }: MessengerOptions): Messenger {
  function posted(target: Exclude<ChannelTarget, { kind: 'email' }>, message: Message): Promise<SendOutcome> {
    switch (target.kind) {
      case 'push':
        return post(target.endpoint, pushRequest(target, message))
      case 'slack':
        return post(target.url, jsonRequest(renderSlack(message)))
      case 'teams':
        return post(target.url, jsonRequest(renderTeams(message)))
      case 'webhook':
        return post(target.url, webhookRequest(target.secret, message, clock()), [410])
    }
  }

  function pushRequest(target: Extract<ChannelTarget, { kind: 'push' }>, message: Message): OutboundRequest {
    const receiver = {
      p256dh: Buffer.from(target.p256dh, 'base64url'),
      auth: Buffer.from(target.auth, 'base64url'),
    }
    return {
      method: 'POST',
      headers: {
        authorization: vapid.authorization(target.endpoint, contact(), clock()),
        'content-encoding': 'aes128gcm',
        'content-type': 'application/octet-stream',
        ttl: String(ttlOf(message, clock())),
        urgency: message.is_urgent ? 'high' : 'normal',
      },
      body: encryptPush(Buffer.from(JSON.stringify(renderPush(message))), receiver),
    }
  }

  async function post(url: string, request: OutboundRequest, gone = FORGOTTEN): Promise<SendOutcome> {
    try {
      return postOutcome(await call(url, request), gone, clock())
    } catch (error) {
      if (!(error instanceof OutboundError)) throw error
      return { kind: 'again', why: OUTBOUND_REASONS[error.reason] }
    }
  }

  return {
    kinds: mailer === undefined ? POSTED_KINDS : ['email', ...POSTED_KINDS],
    push_key: vapid.public_key,
    async send(target, message, unsubscribe_url) {
      if (target.kind !== 'email') return posted(target, message)
      if (mailer === undefined) return { kind: 'again', why: 'no mail server is configured' }
      const { message_id } = message
      const mail = renderMail(message, unsubscribe_url)
      return mailer({ ...mail, to: target.address, message_id, unsubscribe_url })
    },
  }
}

/** Returns for how many seconds a push service keeps a message: it is neither shown when it is over nor lost before. */
function ttlOf({ ends_at_ms }: Message, now_ms: number): number {
  if (ends_at_ms === undefined) return PUSH_TTL_S
  return Math.min(MOST_TTL_S, Math.max(0, Math.floor((ends_at_ms - now_ms) / 1000)))
}

/**
 * Statuses with which a push service, Slack and Teams report that they have forgotten the address: the subscription
 * ended, or the incoming webhook was removed. Any other receiver may answer 404 while it is being repaired.
 */
const FORGOTTEN: readonly number[] = [404, 410]

function postOutcome(response: Response, gone: readonly number[], now_ms: number): SendOutcome {
  const why = `the receiver answered ${response.status}`
  if (response.ok) return { kind: 'sent' }
  if (gone.includes(response.status)) return { kind: 'gone', why }
  const after_ms = retryAfter(response.headers.get('retry-after'), now_ms)
  return { kind: 'again', why, ...(after_ms !== undefined && { after_ms }) }
}

/** Reads the header as in RFC 9110: seconds, or a date. */
function retryAfter(text: string | null, now_ms: number): number | undefined {
  if (text === null) return undefined
  if (/^\d{1,6}$/.test(text)) return Number(text) * 1000
  const at_ms = Date.parse(text)
  return Number.isNaN(at_ms) ? undefined : Math.max(0, at_ms - now_ms)
}

function jsonRequest(body: object): OutboundRequest {
  return { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }
}

/** Returns a request as in Standard Webhooks, which sign the identifier, the time and the exact bytes. */
function webhookRequest(secret: string, message: Message, now_ms: number): OutboundRequest {
  const { message_id: id, title, facts, notes, link, topic, is_urgent } = message
  const timestamp = String(Math.floor(now_ms / 1000))
  const data = { title, facts, notes, link, topic, urgent: is_urgent }
  const body = JSON.stringify({ type: 'message', timestamp: new Date(now_ms).toISOString(), data })
  const key = Buffer.from(secret.slice('whsec_'.length), 'base64')
  const signature = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')
  return {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'webhook-id': id,
      'webhook-timestamp': timestamp,
      'webhook-signature': `v1,${signature}`,
    },
    body,
  }
}
