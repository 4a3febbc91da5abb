import { shownAgent } from '@deputize/protocol'
import type { StoredAlert } from '../../domain/alert.ts'
import { isoInstant } from '../../domain/times/time.ts'
import type { KeptEntry } from '../../store/port/registry.ts'
import { pageRequest } from '../lists/pages.ts'
import type { Handler } from '../operation-context.ts'
import { pageAnswer } from '../views/page-answer.ts'

export const listAlerts: Handler<'listAlerts'> = async ({ caller, query }, { reader }) => {
  const { tenant_id } = caller
  return pageAnswer(await reader.registry.list('alert', { tenant_id }, pageRequest(query)), alertView)
}

function alertView({ id, document, log_index }: KeptEntry) {
  const alert: StoredAlert = JSON.parse(document) // the judge of alerts wrote it
  return {
    alert_id: id,
    rule_id: alert.rule_id,
    rule_name: alert.rule.name,
    condition: alert.rule.condition,
    effect: alert.rule.effect,
    agent_id: shownAgent(alert.agent_id),
    at: isoInstant(alert.at_ms),
    explanation: alert.explanation,
    fired_at: isoInstant(alert.fired_at_ms),
    ...(alert.asks_until_ms !== undefined && { asks_until: isoInstant(alert.asks_until_ms) }),
    log_index,
  }
}
