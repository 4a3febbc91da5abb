import type { Operation } from '../operation.ts'
import {
  createAlertRule,
  deleteAlertRule,
  dryRunAlertRule,
  getAlertRule,
  listAlertRules,
  listAlerts,
  suggestAlertRules,
  updateAlertRule,
} from './alerts.ts'
import { getStats } from './stats.ts'

export const STATS_OPERATIONS = {
  getStats,
  listAlerts,
  createAlertRule,
  listAlertRules,
  suggestAlertRules,
  dryRunAlertRule,
  getAlertRule,
  updateAlertRule,
  deleteAlertRule,
} as const satisfies Record<string, Operation>
