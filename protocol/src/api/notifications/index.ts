import type { Operation } from '../operation.ts'
import {
  addChannel,
  confirmChannel,
  getNotifications,
  removeChannel,
  setNotifications,
  testChannel,
} from './notifications.ts'

export const NOTIFICATION_OPERATIONS = {
  getNotifications,
  setNotifications,
  addChannel,
  confirmChannel,
  testChannel,
  removeChannel,
} as const satisfies Record<string, Operation>
