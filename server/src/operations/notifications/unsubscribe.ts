/** Links that end a channel without a sign-in. They can do nothing else. */
import { timingSafeEqual } from 'node:crypto'
import type { KnownChannel } from '../../messages/channel.ts'
import { dropChannel, findChannel } from '../channels/channel-entries.ts'
import type { OperationContext } from '../operation-context.ts'

type LinkContext = Pick<OperationContext, 'keys' | 'public_url'>

export function unsubscribeUrl(channel_id: string, context: LinkContext): string {
  return `${context.public_url()}/unsubscribe/${channel_id}.${macOf(channel_id, context)}`
}

/** Returns the channel that a link ends. Undefined for a forged link, and once the channel is gone. */
export async function channelOfLink(
  token: string,
  context: OperationContext,
): Promise<KnownChannel | undefined> {
  const [channel_id = '', mac = ''] = token.split('.')
  const wanted = Buffer.from(macOf(channel_id, context))
  const given = Buffer.from(mac)
  if (given.length !== wanted.length || !timingSafeEqual(given, wanted)) return undefined
  return findChannel(channel_id, context.reader.registry)
}

/** Removes the channel of a link. Does nothing if it is already gone. */
export async function unsubscribe(token: string, context: OperationContext): Promise<void> {
  const channel = await channelOfLink(token, context)
  if (channel !== undefined) await dropChannel(channel, undefined, context)
}

function macOf(channel_id: string, { keys }: LinkContext): string {
  return keys.digest('unsubscribe', channel_id).slice('sha256:'.length)
}
