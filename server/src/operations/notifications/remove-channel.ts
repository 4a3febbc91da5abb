import { dropChannel } from '../channel-entries.ts'
import type { Handler } from '../operation-context.ts'
import { loadChannel } from './load-channel.ts'

export const removeChannel: Handler<'removeChannel'> = async ({ params }, context) => {
  await dropChannel(await loadChannel(params.channel_id, context), context)
  return { removed: true }
}
