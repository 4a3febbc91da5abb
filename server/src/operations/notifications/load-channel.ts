import { AuthorityError } from '@deputize/protocol'
import type { KnownChannel } from '../../messages/channel.ts'
import { findChannel } from '../channels/channel-entries.ts'
import type { OperationContext } from '../operation-context.ts'

/** Returns a channel, or throws `channel_unknown`. The owner has been checked before. */
export async function loadChannel(channel_id: string, { reader }: OperationContext): Promise<KnownChannel> {
  const channel = await findChannel(channel_id, reader.registry)
  if (channel === undefined) throw new AuthorityError('channel_unknown')
  return channel
}
