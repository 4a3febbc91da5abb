import { actorOf } from '../../access/caller.ts'
import { putChannel } from '../channels/channel-entries.ts'
import type { Handler } from '../operation-context.ts'
import { channelView } from '../views/channel-view.ts'
import { assertCode } from './channel-codes.ts'
import { loadChannel } from './load-channel.ts'

export const confirmChannel: Handler<'confirmChannel'> = async ({ params, body, caller }, context) => {
  const channel = await loadChannel(params.channel_id, context)
  if (channel.document.is_confirmed) return channelView(channel.channel_id, channel.document)
  await assertCode(channel, body.code, context)
  const document = { ...channel.document, is_confirmed: true }
  await putChannel(channel, document, channel.log_index, actorOf(caller), context)
  return channelView(channel.channel_id, document)
}
