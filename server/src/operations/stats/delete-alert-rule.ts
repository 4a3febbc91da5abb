import type { Handler } from '../operation-context.ts'
import { loadRule, putRule } from './alert-rule-entry.ts'

export const deleteAlertRule: Handler<'deleteAlertRule'> = async (call, context) => {
  const { rule_id, log_index } = await loadRule(call.params.rule_id, call.caller, context)
  await putRule(rule_id, undefined, log_index, call, context)
  return { deleted: true, rule_id }
}
