import { AuthorityError, newSuffix } from '@deputize/protocol'
import { messageText } from '../../messages/message.ts'
import { personPath } from '../../messages/question-message.ts'
import { channelState, putChannelState, stateAfterTest } from '../channels/channel-state.ts'
import type { Handler } from '../operation-context.ts'
import { loadChannel } from './load-channel.ts'
import { isKindAllowed } from './message-recipients.ts'

export const testChannel: Handler<'testChannel'> = async ({ params }, context) => {
  const channel = await loadChannel(params.channel_id, context)
  const { channel_id, document } = channel
  if (!document.is_confirmed)
    throw new AuthorityError('channel_unavailable', 'Confirm the channel first.', { reason: 'not_confirmed' })
  if (!(await isKindAllowed(channel, context)))
    throw new AuthorityError(
      'channel_unavailable',
      `The tenant no longer allows ${document.kind} channels. Nothing is sent on this one.`,
      { reason: 'not_allowed' },
    )
  const outcome = await context.messenger.send(
    document,
    {
      message_id: `${channel_id}.${newSuffix(context.clock())}`,
      title: 'This is a test',
      facts: [{ label: 'Channel', value: messageText(document.name) }],
      notes: ['Approval requests and alerts from Deputy reach you here.'],
      link: { label: 'Open Deputy', url: `${context.public_url()}${personPath(channel.tenant_id)}` },
      topic: 'test',
      is_urgent: false,
    },
    undefined,
  )
  const state = await channelState(channel_id, context.ephemeral)
  await putChannelState(channel, stateAfterTest(state, outcome, context.clock()), context)
  return outcome.kind === 'sent' ? { sent: true } : { sent: false, detail: outcome.why }
}
