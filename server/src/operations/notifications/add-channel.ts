import { AuthorityError, newId } from '@deputize/protocol'
import { actorOf, type Caller } from '../../access/caller.ts'
import { emailRef } from '../../access/human-ref.ts'
import { isoInstant } from '../../domain/times/time.ts'
import type { ChannelDocument, ChannelTarget } from '../../messages/channel.ts'
import {
  channelOwnerOf,
  channelsOf,
  dropChannel,
  isOneTooMany,
  MOST_CHANNELS,
  putChannel,
} from '../channels/channel-entries.ts'
import { availableKinds } from '../channels/notifications-answer.ts'
import type { Handler, OperationContext } from '../operation-context.ts'
import { channelView } from '../views/channel-view.ts'
import { sendCode } from './channel-codes.ts'
import { givenTarget } from './channel-target.ts'

/** A repeated call adds a second channel, except for a browser, which has one subscription at a time. */
export const addChannel: Handler<'addChannel'> = async ({ body, caller }, context) => {
  const { kind, name = kind, about } = body
  const owner = channelOwnerOf(caller)
  const target = givenTarget(body, context.public_url().startsWith('http:'))
  await assertAvailable(kind, owner.tenant_id, context)
  const known = await channelsOf(owner, context.reader.registry)
  const replaced = known.filter(({ document }) => isSameBrowser(document, target))
  if (known.length - replaced.length >= MOST_CHANNELS) throw new AuthorityError('too_many_channels')
  const unproven = target.kind === 'email' && !isProven(target.address, caller, context) ? target : undefined
  const document: ChannelDocument = {
    ...target,
    name,
    ...(about !== undefined && { about }),
    is_confirmed: unproven === undefined,
    created_at: isoInstant(context.clock()),
  }
  const channel_id = newId('channel', context.clock())
  if (unproven !== undefined) await sendCode({ channel_id, ...owner }, unproven, context)
  const channel = { channel_id, ...owner }
  await putChannel(channel, document, 'absent', actorOf(caller), context)
  // A crash before this line leaves the owner with the channels of calls that ran at the same time, over the limit.
  if (await isOneTooMany(channel, replaced, context.reader.registry)) {
    await dropChannel(channel, actorOf(caller), context)
    throw new AuthorityError('too_many_channels')
  }
  // A crash before this line leaves the browser with two channels, never with none.
  for (const other of replaced) await dropChannel(other, actorOf(caller), context)
  return {
    ...channelView(channel_id, document),
    ...(target.kind === 'webhook' && { secret: target.secret }),
  }
}

async function assertAvailable(
  kind: ChannelTarget['kind'],
  tenant_id: string,
  context: OperationContext,
): Promise<void> {
  if ((await availableKinds(tenant_id, context)).includes(kind)) return
  const isMissing = !context.messenger.kinds.includes(kind)
  throw new AuthorityError(
    'channel_unavailable',
    isMissing
      ? 'No mail server is configured. The operator sets DEPUTY_SMTP_URL.'
      : `The tenant does not allow ${kind} channels.`,
    { reason: isMissing ? 'not_configured' : 'not_allowed' },
  )
}

/** Whether the sign-in provider has verified the address: its ref is then one of the person's. */
function isProven(address: string, caller: Caller, { keys }: OperationContext): boolean {
  return caller.role === 'human' && caller.human_refs.includes(emailRef(keys, caller.tenant_id, address))
}

function isSameBrowser(document: ChannelDocument, target: ChannelTarget): boolean {
  return document.kind === 'push' && target.kind === 'push' && document.endpoint === target.endpoint
}
