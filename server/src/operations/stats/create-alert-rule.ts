import { hash } from 'node:crypto'
import { ID_PREFIXES, newSuffix } from '@deputize/protocol'
import { callersAgent } from '../lists/list-visibility.ts'
import type { Handler, UntypedCall } from '../operation-context.ts'
import { readCondition } from './alert-condition.ts'
import { loadRule, putRule, rulesWithRoom, ruleView } from './alert-rule-entry.ts'

export const DEFAULT_WINDOW_MINUTES = 60
const DEFAULT_ASK_MINUTES = 60
const SUFFIX_LENGTH = 36

export const createAlertRule: Handler<'createAlertRule'> = async (call, context) => {
  const { caller, body } = call
  const rule = {
    name: body.name,
    condition: readCondition(body.condition),
    effect: body.effect,
    agent_id: body.agent_id === undefined ? undefined : callersAgent(caller, body.agent_id),
    window_minutes: body.window_minutes ?? DEFAULT_WINDOW_MINUTES,
    ask_minutes: body.ask_minutes ?? DEFAULT_ASK_MINUTES,
    enabled: body.enabled ?? true,
    created_at_ms: context.clock(),
    suggestion: undefined,
  }
  const rule_id = ID_PREFIXES.alert_rule + suffixFor(call, rule.created_at_ms)
  // A repeated request needs no room: it gets the rule that the first one created.
  if ((await context.reader.registry.entry('alert_rule', rule_id)) === undefined)
    await rulesWithRoom(1, caller, context)
  await putRule(rule_id, rule, 'absent', call, context)
  return ruleView(await loadRule(rule_id, caller, context))
}

/** Returns the ID suffix of a new rule. A repeated request gets the same one. */
function suffixFor({ caller, idempotency_key }: UntypedCall, now_ms: number): string {
  if (idempotency_key === undefined) return newSuffix(now_ms)
  return hash('sha256', JSON.stringify([caller.name, idempotency_key])).slice(0, SUFFIX_LENGTH)
}
