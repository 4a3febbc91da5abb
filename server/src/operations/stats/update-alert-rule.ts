import type { Handler } from '../operation-context.ts'
import { readCondition } from './alert-condition.ts'
import { loadRule, putRule, ruleView } from './alert-rule-entry.ts'

export const updateAlertRule: Handler<'updateAlertRule'> = async (call, context) => {
  const { rule_id, rule: before, log_index: seen } = await loadRule(call.params.rule_id, call.caller, context)
  const { condition, ...changes } = call.body
  const rule = {
    ...before,
    ...changes,
    ...(condition !== undefined && { condition: readCondition(condition) }),
    created_at_ms: context.clock(),
  }
  const log_index = await putRule(rule_id, rule, seen, call, context)
  return ruleView({ rule_id, rule, log_index })
}
