import { loggedAgent, tenantOf } from '@deputize/protocol'
import { type AlertRule, beginningOf, type StoredAlert, windowOfRule } from '../../domain/alert.ts'
import { isoInstant, MINUTE_MS } from '../../domain/times/time.ts'
import { alertId } from '../../log/alert-id.ts'
import type { BatchState } from '../batch-state.ts'
import type { FireAlertCommand } from '../command.ts'
import { freezeAgent } from './suspend.ts'

export interface FireAlertOutcome {
  /** False if the rule is gone or off, began later, or has already fired for this agent in this window. */
  readonly fired: boolean
}

/**
 * Fires a rule for an agent, with the effect that the rule has now. Only the first command for a window counts, so it
 * doesn't matter how many nodes find the same condition.
 */
export function judgeFireAlert(command: FireAlertCommand, batch: BatchState): FireAlertOutcome {
  const { rule_id, agent_id, at_ms, explanation } = command
  const entry = batch.registryEntry({ kind: 'alert_rule', id: rule_id })
  const rule = entry?.document === undefined ? undefined : (JSON.parse(entry.document) as AlertRule) // operations wrote it
  if (rule === undefined || !rule.enabled || entry?.tenant_id !== tenantOf(agent_id)) return { fired: false }
  if (at_ms < beginningOf(rule)) return { fired: false } // it was changed while a node evaluated it
  if (batch.tally(agent_id) === undefined) return { fired: false }
  const window_ms = windowOfRule(rule, at_ms)
  const id = alertId(rule_id, agent_id, window_ms)
  if (batch.registryEntry({ kind: 'alert', id }) !== undefined) return { fired: false }
  const asks_until_ms = rule.effect === 'ask' ? batch.now_ms + rule.ask_minutes * MINUTE_MS : undefined
  const alert: StoredAlert = {
    rule_id,
    agent_id,
    at_ms,
    fired_at_ms: batch.now_ms,
    rule,
    explanation,
    asks_until_ms,
  }
  const document = JSON.stringify(alert)
  const { tenant_id } = entry
  const { log_index } = batch.appendLeaf('alert.fired', {
    alert_id: id,
    rule_id,
    tenant_id,
    agent_id: loggedAgent(agent_id),
    condition: rule.condition.kind,
    effect: rule.effect,
    window: isoInstant(window_ms),
    explanation,
    document_digest: batch.digest(undefined, 'document', document),
    ...(asks_until_ms !== undefined && { asks_until: isoInstant(asks_until_ms) }),
  })
  batch.saveRegistryEntry({ kind: 'alert', id, tenant_id, owner: undefined, document, log_index })
  if (asks_until_ms !== undefined) askFor(agent_id, asks_until_ms, batch)
  if (rule.effect === 'suspend')
    freezeAgent(agent_id, { rank: 'person', reason: `Alert "${rule.name}": ${explanation}` }, batch)
  return { fired: true }
}

/** Makes people decide about the agent's actions until then. Never shortens an earlier mark. */
function askFor(agent_id: string, until_ms: number, batch: BatchState): void {
  const marks = batch.agentMarks(agent_id)
  marks.asks_until_ms = Math.max(marks.asks_until_ms ?? 0, until_ms)
  batch.saveAgentMarks(agent_id)
}
