import { hash } from 'node:crypto'
import { ID_PREFIXES } from '@deputize/protocol'
import { SUGGESTED_RULES } from '../../domain/alert.ts'
import type { Handler } from '../operation-context.ts'
import { withoutReplay } from '../submit-command.ts'
import { putRule, rulesWithRoom, ruleView } from './alert-rule-entry.ts'

const WINDOW_MINUTES = 60

/** Derives the ID from tenant and suggestion, so that two simultaneous calls create one rule. */
export const suggestAlertRules: Handler<'suggestAlertRules'> = async (call, context) => {
  const { tenant_id } = call.caller
  const known = await rulesWithRoom(0, call.caller, context)
  const has = new Set(known.map(({ rule }) => rule.suggestion))
  const missing = Object.entries(SUGGESTED_RULES).filter(([suggestion]) => !has.has(suggestion))
  await rulesWithRoom(missing.length, call.caller, context)
  const data = []
  for (const [suggestion, { name, condition }] of missing) {
    const rule = {
      name,
      condition,
      effect: 'notify',
      agent_id: undefined,
      window_minutes: WINDOW_MINUTES,
      ask_minutes: WINDOW_MINUTES,
      enabled: true,
      created_at_ms: context.clock(),
      suggestion,
    } as const
    const rule_id =
      ID_PREFIXES.alert_rule + hash('sha256', JSON.stringify([tenant_id, suggestion])).slice(0, 36)
    const log_index = await putRule(rule_id, rule, 'absent', withoutReplay(call), context)
    data.push(ruleView({ rule_id, rule, log_index }))
  }
  return { data }
}
