import { channelOwnerOf } from '../channel-entries.ts'
import { notificationsAnswer } from '../notifications-answer.ts'
import type { Handler } from '../operation-context.ts'

export const getNotifications: Handler<'getNotifications'> = ({ caller }, context) =>
  notificationsAnswer(channelOwnerOf(caller), context)
