import type { Handler } from '../operation-context.ts'
import { loadRule, ruleView } from './alert-rule-entry.ts'

export const getAlertRule: Handler<'getAlertRule'> = async ({ caller, params }, context) =>
  ruleView(await loadRule(params.rule_id, caller, context))
