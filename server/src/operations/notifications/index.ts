import { addChannel } from './add-channel.ts'
import { confirmChannel } from './confirm-channel.ts'
import { getNotifications } from './get-notifications.ts'
import { removeChannel } from './remove-channel.ts'
import { setNotifications } from './set-notifications.ts'
import { testChannel } from './test-channel.ts'

export const NOTIFICATION_HANDLERS = {
  getNotifications,
  setNotifications,
  addChannel,
  confirmChannel,
  testChannel,
  removeChannel,
}
