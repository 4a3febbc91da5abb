import { randomBytes } from 'node:crypto'
import { invalidField } from '@deputize/protocol'
import type { ChannelTarget } from '../../messages/channel.ts'
import { isPushReceiver } from '../../messages/push/encrypt.ts'
import type { OperationCall } from '../operation-context.ts'

type GivenChannel = OperationCall<'addChannel'>['body']

const MEMBERS = { address: ['email'], subscription: ['push'], url: ['slack', 'teams', 'webhook'] } as const

/** Returns the target of a requested channel. Refuses an invalid one, and one of another kind of channel. */
export function givenTarget(body: GivenChannel, is_loopback_allowed: boolean): ChannelTarget {
  for (const [member, kinds] of Object.entries(MEMBERS)) {
    const isGiven = body[member as keyof typeof MEMBERS] !== undefined // the keys of the table above
    const isNeeded = kinds.some((kind) => kind === body.kind)
    if (isGiven === isNeeded) continue
    throw invalidField(
      `/${member}`,
      isNeeded ? `is required for ${body.kind}` : `is not used for ${body.kind}`,
    )
  }
  const { kind, address = '', url = '', subscription } = body
  if (kind === 'email') return { kind, address }
  if (kind === 'push') return pushTarget(subscription, is_loopback_allowed)
  assertPostable(url, '/url', is_loopback_allowed)
  return kind === 'webhook' ? { kind, url, secret: newSecret() } : { kind, url }
}

function pushTarget(given: GivenChannel['subscription'], is_loopback_allowed: boolean): ChannelTarget {
  const { endpoint = '', keys = { p256dh: '', auth: '' } } = given ?? {}
  assertPostable(endpoint, '/subscription/endpoint', is_loopback_allowed)
  const receiver = {
    p256dh: Buffer.from(keys.p256dh, 'base64url'),
    auth: Buffer.from(keys.auth, 'base64url'),
  }
  if (!isPushReceiver(receiver))
    throw invalidField('/subscription/keys', 'must be the keys that the browser gave with its subscription')
  return {
    kind: 'push',
    endpoint,
    p256dh: receiver.p256dh.toString('base64url'),
    auth: receiver.auth.toString('base64url'),
  }
}

/**
 * Refuses a bad URL early, with a helpful error. Whether an address may be called is checked on every call, when its
 * name is resolved.
 */
function assertPostable(text: string, pointer: string, is_loopback_allowed: boolean): void {
  const url = URL.parse(text)
  const isSecure = url?.protocol === 'https:' || is_loopback_allowed
  if (url === null || !isSecure || url.username !== '' || url.password !== '')
    throw invalidField(pointer, 'must be an https URL without a user name or password')
}

function newSecret(): string {
  return `whsec_${randomBytes(32).toString('base64')}`
}
