import { AuthorityError, shownAgent } from '@deputize/protocol'
import { actorOf, type Caller } from '../../access/caller.ts'
import { type KnownRule, MOST_RULES, readRules, ruleOf } from '../../alerts/alert-rules.ts'
import type { RegisterOutcome } from '../../clerk/judges/register.ts'
import type { AlertRule } from '../../domain/alert.ts'
import { isoInstant } from '../../domain/times/time.ts'
import type { OperationContext, UntypedCall } from '../operation-context.ts'
import { submitCommand } from '../submit-command.ts'

/** Returns a rule of the caller's tenant, or throws `rule_unknown`, even if another tenant has the rule. */
export async function loadRule(
  rule_id: string,
  { tenant_id }: Caller,
  { reader }: OperationContext,
): Promise<KnownRule> {
  const entry = await reader.registry.entry('alert_rule', rule_id)
  if (entry?.document === undefined || entry.tenant_id !== tenant_id) throw new AuthorityError('rule_unknown')
  return { rule_id, tenant_id, rule: ruleOf(entry.document), log_index: entry.log_index }
}

/** Returns the rules of the caller's tenant. Refuses if there is no room for `more` of them. */
export async function rulesWithRoom(
  more: number,
  { tenant_id }: Caller,
  { reader }: OperationContext,
): Promise<KnownRule[]> {
  const rules = await readRules(reader.registry, tenant_id)
  if (rules.length + more > MOST_RULES) throw new AuthorityError('too_many_rules')
  return rules
}

/** Writes a rule, or removes it if `rule` is undefined. Refuses if the entry no longer matches `expects`. */
export async function putRule(
  rule_id: string,
  rule: AlertRule | undefined,
  expects: number | 'absent',
  call: UntypedCall,
  context: OperationContext,
): Promise<number> {
  const { log_index } = await submitCommand<RegisterOutcome>(
    {
      kind: 'register',
      entry_kind: 'alert_rule',
      id: rule_id,
      tenant_id: call.caller.tenant_id,
      owner: undefined,
      document: rule === undefined ? undefined : JSON.stringify(rule),
      expects,
      by: actorOf(call.caller),
    },
    call,
    context,
  )
  return log_index ?? 0
}

export function ruleView({ rule_id, rule, log_index }: Omit<KnownRule, 'tenant_id'>) {
  const { name, condition, effect, agent_id, window_minutes, ask_minutes, enabled, suggestion } = rule
  return {
    rule_id,
    name,
    condition,
    effect,
    ...(agent_id !== undefined && { agent_id: shownAgent(agent_id) }),
    window_minutes,
    ask_minutes,
    enabled,
    ...(suggestion !== undefined && { suggestion }),
    created_at: isoInstant(rule.created_at_ms),
    log_index,
  }
}
