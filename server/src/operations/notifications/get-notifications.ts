import { channelOwnerOf } from '../channels/channel-entries.ts'
import { notificationsAnswer } from '../channels/notifications-answer.ts'
import type { Handler } from '../operation-context.ts'

export const getNotifications: Handler<'getNotifications'> = ({ caller }, context) =>
  notificationsAnswer(channelOwnerOf(caller), context)
