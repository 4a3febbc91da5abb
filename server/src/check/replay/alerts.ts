import { ALERT_EFFECTS, type Rank, tenantOf } from '@deputize/protocol'
import { outranks } from '../../domain/rank.ts'
import type { Marks } from '../../domain/tokens/token.ts'
import type { Leaf } from '../../log/leaf.ts'
import { registryRef } from '../../log/registry-ref.ts'
import { expectedText, type LeafEffects, type LeafStep, type ReplayState } from './expected.ts'
import { LeafError, readAgentMember, readInstant, readTextMember } from './leaf-reader.ts'
import { entryKey } from './registry-entries.ts'

const SUSPENDS_AS: Rank = 'person'

/** Applies an alert: a rule fires for an agent once per window, with the effect that the leaf names. */
export function applyAlert({ leaf, log_index, at_ms, replay, effects }: LeafStep): void {
  const key = entryKey('alert', registryRef(readTextMember(leaf, 'alert_id')))
  const tenant_id = readTextMember(leaf, 'tenant_id')
  const agent_id = readAgentMember(leaf)
  const agent = replay.agents.get(agent_id)
  const rule = replay.registry.get(entryKey('alert_rule', registryRef(readTextMember(leaf, 'rule_id'))))
  const effect = ALERT_EFFECTS.find((one) => one === leaf.effect)
  if (agent === undefined) throw new LeafError('is about an unknown agent')
  if (effect === undefined) throw new LeafError('has an unknown effect')
  if (rule?.document === undefined) effects.violations.push('fires a rule that does not exist')
  if (rule?.tenant_id !== tenant_id || tenantOf(agent_id) !== tenant_id)
    effects.violations.push('fires a rule of another tenant')
  if (replay.registry.has(key)) effects.violations.push('fires a rule twice for the same agent and window')
  const digest = readTextMember(leaf, 'document_digest')
  const document = expectedText(replay, undefined, 'document', digest, log_index)
  replay.registry.set(key, { kind: 'alert', log_index, tenant_id, owner: undefined, document })
  if ((leaf.asks_until !== undefined) !== (effect === 'ask'))
    effects.violations.push('must say until when it asks if that is its effect, and only then')
  if (effect === 'ask') {
    const until_ms = readInstant(leaf, 'asks_until')
    if (until_ms <= at_ms) effects.violations.push('asks until an instant that is over')
    agent.marks.asks_until_ms = Math.max(agent.marks.asks_until_ms ?? 0, until_ms)
  }
  if (effect === 'suspend' && canBeSuspended(agent.marks)) replay.due_alert_suspension = agent_id
}

/** False for an agent that a person or an operator has suspended: it stays as it is. */
function canBeSuspended({ suspended_at_ms, suspended_rank }: Marks): boolean {
  return (
    suspended_at_ms === undefined || suspended_rank === undefined || !outranks(suspended_rank, SUSPENDS_AS)
  )
}

/** Checks that a due suspension directly follows its alert. */
export function checkAlertSuspension(
  leaf: Leaf | undefined,
  replay: ReplayState,
  effects: LeafEffects,
): void {
  const due = replay.due_alert_suspension
  replay.due_alert_suspension = undefined
  if (due === undefined) return
  if (leaf?.type !== 'agent.suspended' || leaf.agent_id !== `agent:${due}`)
    effects.violations.push('is in the place of the suspension by an alert')
}
