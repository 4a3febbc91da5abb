import type { AnswerOf, ChannelKind, OPERATIONS } from '@deputize/protocol'
import type { OperationContext } from '../operation-context.ts'
import { channelView } from '../views/channel-view.ts'
import { type ChannelOwner, channelsOf } from './channel-entries.ts'
import { channelState } from './channel-state.ts'
import { type NotificationSettings, settingsOf } from './notification-settings.ts'

export async function notificationsAnswer(
  owner: ChannelOwner,
  context: OperationContext,
  known?: NotificationSettings,
): Promise<AnswerOf<typeof OPERATIONS.getNotifications>> {
  const { registry } = context.reader
  const settings = known ?? (await settingsOf(owner, registry)).settings
  const channels = await channelsOf(owner, registry)
  const views = channels.map(async ({ channel_id, document }) =>
    channelView(channel_id, document, await channelState(channel_id, context.ephemeral)),
  )
  return {
    channels: await Promise.all(views),
    ...settings,
    available: [...(await availableKinds(owner.tenant_id, context))],
    push_key: context.messenger.push_key,
  }
}

/** Returns the kinds that the deployment can send and the tenant allows. */
export async function availableKinds(
  tenant_id: string,
  { messenger, accessControl }: OperationContext,
): Promise<readonly ChannelKind[]> {
  const allowed = (await accessControl.tenants.find(tenant_id))?.messages?.channels
  return messenger.kinds.filter((kind) => allowed === undefined || allowed.includes(kind))
}
