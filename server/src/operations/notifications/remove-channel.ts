import { actorOf } from '../../access/caller.ts'
import { dropChannel } from '../channels/channel-entries.ts'
import type { Handler } from '../operation-context.ts'
import { loadChannel } from './load-channel.ts'

export const removeChannel: Handler<'removeChannel'> = async ({ params, caller }, context) => {
  await dropChannel(await loadChannel(params.channel_id, context), actorOf(caller), context)
  return { removed: true }
}
