import { hash } from 'node:crypto'

/** Returns the id of an alert. A rule fires once for each agent and window, so these identify it. */
export function alertId(rule_id: string, agent_id: string, window_ms: number): string {
  return `alt_${hash('sha256', JSON.stringify([rule_id, agent_id, window_ms])).slice(0, 40)}`
}
