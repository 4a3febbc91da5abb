/** Links that end a channel without a sign-in. They can do nothing else. */
import { timingSafeEqual } from 'node:crypto'
import type { KnownChannel } from '../../messages/channel.ts'
import { dropChannel, findChannel } from '../channels/channel-entries.ts'
import type { OperationContext } from '../operation-context.ts'

type LinkContext = Pick<OperationContext, 'keys' | 'public_url'>

export function unsubscribeUrl(channel_id: string, context: LinkContext): string {
  return `${context.public_url()}/unsubscribe/${channel_id}.${macOf(channel_id, context)}`
}

/** What a link leads to: its channel, `ended` once that is gone, or `invalid` for a link that this service did not write. */
export type LinkedChannel = KnownChannel | 'ended' | 'invalid'

/** Finds the channel that a link ends. */
export async function channelOfLink(token: string, context: OperationContext): Promise<LinkedChannel> {
  const [channel_id = '', mac = '', ...others] = token.split('.')
  const wanted = Buffer.from(macOf(channel_id, context))
  const given = Buffer.from(mac)
  if (others.length > 0 || given.length !== wanted.length || !timingSafeEqual(given, wanted)) return 'invalid'
  return (await findChannel(channel_id, context.reader.registry)) ?? 'ended'
}

/** Removes the channel of a link. Changes nothing if it is already gone. False if the link is invalid. */
export async function unsubscribe(token: string, context: OperationContext): Promise<boolean> {
  const channel = await channelOfLink(token, context)
  if (channel === 'invalid') return false
  if (channel !== 'ended') await dropChannel(channel, undefined, context)
  return true
}

function macOf(channel_id: string, { keys }: LinkContext): string {
  return keys.digest('unsubscribe', channel_id).slice('sha256:'.length)
}
