import { createAlertRule } from './create-alert-rule.ts'
import { deleteAlertRule } from './delete-alert-rule.ts'
import { dryRunAlertRule } from './dry-run-alert-rule.ts'
import { getAlertRule } from './get-alert-rule.ts'
import { getStats } from './get-stats.ts'
import { listAlertRules } from './list-alert-rules.ts'
import { listAlerts } from './list-alerts.ts'
import { suggestAlertRules } from './suggest-alert-rules.ts'
import { updateAlertRule } from './update-alert-rule.ts'

export const STATS_HANDLERS = {
  getStats,
  listAlerts,
  createAlertRule,
  listAlertRules,
  suggestAlertRules,
  dryRunAlertRule,
  getAlertRule,
  updateAlertRule,
  deleteAlertRule,
}
