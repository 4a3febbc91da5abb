import { type Channel, MESSAGE_TOPICS } from '@deputize/protocol'
import { isoInstant } from '../../domain/times/time.ts'
import { type ChannelDocument, targetText } from '../../messages/channel.ts'
import type { ChannelState } from '../channels/channel-state.ts'

/** Returns a channel as the API shows it. With `state`, the answer includes the outcome of the last message. */
export function channelView(channel_id: string, document: ChannelDocument, state?: ChannelState): Channel {
  const { kind, name, about, is_confirmed, created_at } = document
  return {
    channel_id,
    kind,
    name,
    state: is_confirmed ? 'active' : 'unconfirmed',
    about: [...(about ?? MESSAGE_TOPICS)],
    target: targetText(document),
    created_at,
    ...(state !== undefined && outcomeOf(state)),
  }
}

function outcomeOf({
  last_sent_ms,
  fault,
  attempts = [],
}: ChannelState): Pick<Channel, 'last_sent_at' | 'last_failure' | 'attempts'> {
  return {
    attempts: attempts.toReversed().map(({ at_ms, why }) => ({
      at: isoInstant(at_ms),
      sent: why === undefined,
      ...(why !== undefined && { detail: why }),
    })),
    ...(last_sent_ms !== undefined && { last_sent_at: isoInstant(last_sent_ms) }),
    ...(fault !== undefined && { last_failure: { at: isoInstant(fault.at_ms), detail: fault.why } }),
  }
}
