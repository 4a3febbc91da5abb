import { hash } from 'node:crypto'
import { emptyFrontier, loggedAgent, tenantOf } from '@deputize/protocol'
import { isByHand, type StoredApproval } from '../../src/domain/approvals/approval.ts'
import { type Habit, type HabitKey, habitName, isOfKind } from '../../src/domain/approvals/habit.ts'
import { isRevoked } from '../../src/domain/decision.ts'
import type { StoredRecord } from '../../src/domain/record.ts'
import { type AgentTally, addTallies } from '../../src/domain/reputation.ts'
import { type Chain, freshState, type Marks, noMarks } from '../../src/domain/tokens/token.ts'
import { type AskedScore, isStanding, type StoredAnchor, type StoredVouch } from '../../src/domain/vouch.ts'
import type { Changes } from '../../src/store/port/changes.ts'
import { type RegistryEntry, registryKey } from '../../src/store/port/registry.ts'
import { type Facts, isOwnedBy, type WriteStore } from '../../src/store/port/write-store.ts'
import type { RegisteredKey } from '../../src/store/port.ts'

/** A write store in memory. It persists nothing and serves one history. */
export function memoryWriteStore(clock: () => number): WriteStore {
  const chains = new Map<string, Chain>()
  const records = new Map<string, StoredRecord>()
  const tallies = new Map<string, AgentTally>()
  const agents = new Map<string, Marks>()
  const humans = new Map<string, Marks>()
  const approvals = new Map<string, StoredApproval>()
  /** People who have a data key. */
  const keyed = new Set<string>()
  const habits = new Map<string, { key: HabitKey; habit: Habit }>()
  const owners = new Map<string, readonly string[]>()
  const keys = new Map<string, RegisteredKey>()
  const registry = new Map<string, RegistryEntry>()
  const vouches = new Map<string, StoredVouch>()
  const anchors = new Map<string, StoredAnchor>()
  const scores = new Map<string, AskedScore>()
  let frontier = emptyFrontier()

  function agentMarks(agent_id: string): Marks {
    const marks = agents.get(agent_id) ?? noMarks()
    agents.set(agent_id, marks)
    return marks
  }

  function factsAt(now_ms: number, overdue: number): Facts {
    const pending = [...(overdue > 0 ? records.values() : [])].filter(({ state }) => state === 'pending')
    return {
      now_ms,
      frontier,
      chain: (jti) => chains.get(jti),
      record: (aar_id) => records.get(aar_id),
      replay: () => undefined,
      agent(agent_id) {
        const tally = tallies.get(agent_id)
        return tally && { profile: undefined, owned_by: owners.get(agent_id), tally }
      },
      agentMarks,
      humanMarks: (human_ref) => humans.get(human_ref),
      newHumanMarks: (human_ref) => humans.get(human_ref) ?? noMarks(),
      keyHolders: (tenant_id, jkt) =>
        [...keys.values()].filter((key) => key.jkt === jkt && tenantOf(key.agent_id) === tenant_id),
      sharedKeyHolders: (agent_id) => {
        const own = [...keys.values()].filter((key) => key.agent_id === agent_id).map(({ jkt }) => jkt)
        const others = [...keys.values()].filter((key) => key.agent_id !== agent_id && own.includes(key.jkt))
        return [...new Set(others.map((key) => key.agent_id))]
      },
      hasDelegated: (from, to) =>
        [...chains.values()].some(
          ([{ token }, above]) =>
            token.agent_id === to && token.parent_jti !== undefined && above?.token.agent_id === from,
        ),
      person: (human_ref) =>
        humans.has(human_ref) || keyed.has(human_ref)
          ? { erased_at_ms: undefined, has_data: true }
          : undefined,
      digest(human_ref, ...about) {
        if (human_ref !== undefined) keyed.add(human_ref)
        return hash('sha256', JSON.stringify([human_ref, ...about]))
      },
      registry: (name) => registry.get(registryKey(name)),
      approval: (approval_id) => approvals.get(approval_id),
      openApproval: (binding) =>
        [...approvals.values()].find((one) => one.binding === binding && one.state === 'pending'),
      denials(binding) {
        const denied = [...approvals.values()].filter(
          (one) => one.binding === binding && one.state === 'denied',
        )
        return {
          count: denied.length,
          last_ms: Math.max(0, ...denied.map(({ decided_at_ms = 0 }) => decided_at_ms)),
        }
      },
      denialsInARow(root_jti) {
        const decided = [...approvals.values()]
          .filter((one) => one.root_jti === root_jti && one.decided_at_ms !== undefined)
          .sort((a, b) => (a.decided_log_index ?? 0) - (b.decided_log_index ?? 0))
        const denied = decided
          .slice(decided.findLastIndex(isByHand) + 1)
          .filter(({ state }) => state === 'denied')
        return denied.map(({ branch_jti, decided_at_ms = 0 }) => ({ branch_jti, at_ms: decided_at_ms }))
      },
      countOpenApprovals: (owner) =>
        [...approvals.values()].filter(
          (one) =>
            isOwnedBy(one, owner) &&
            one.state === 'pending' &&
            one.expires_at_ms > now_ms &&
            chains.get(one.vat_jti)?.some(isRevoked) !== true,
        ).length,
      habit: (key) => habits.get(habitName(key))?.habit,
      habitKeys: (kind) =>
        [...habits.values()].filter(({ key }) => isOfKind(key, kind)).map(({ key }) => key),
      vouch: (vouch_id) => vouches.get(vouch_id),
      openVouches: ({ from, to }) =>
        [...vouches.values()].filter(
          (one) => one.from === from && (to ?? one.to) === one.to && one.ended_index === undefined,
        ),
      isVouchedFor: (agent_id) =>
        [...vouches.values()].some(
          (one) => one.to === loggedAgent(agent_id) && one.ended_index === undefined,
        ),
      linkedRefs: (human_ref) =>
        [...registry.values()]
          .filter(({ kind, owner, document }) => kind === 'identity' && owner === human_ref && document)
          .map(({ id }) => id),
      countVouches: (from) =>
        [...vouches.values()].filter((one) => one.from === from && isStanding(one, now_ms)).length,
      hasActedFor: (agent_id, human_ref) =>
        [...chains.values()].some(
          ([{ token }]) => token.agent_id === agent_id && token.human_ref === human_ref,
        ),
      anchor: (human_ref) => anchors.get(human_ref),
      isInTrustGraph: (human_ref) =>
        [...vouches.values()].some(
          (one) => one.ended_index === undefined && [one.from, one.to].includes(human_ref),
        ),
      askedScore: (agent_id) => scores.get(agent_id),
      countLive: () => 0,
      countLiveOf: () => 0,
      overdue: pending
        .filter(({ expires_at_ms }) => expires_at_ms !== undefined && expires_at_ms <= now_ms)
        .slice(0, overdue)
        .map(({ aar_id }) => aar_id),
    }
  }

  function write(changes: Changes): void {
    frontier = changes.frontier
    for (const [human_ref, marks] of changes.human_marks)
      humans.set(human_ref, Object.assign(humans.get(human_ref) ?? noMarks(), marks))
    for (const { token, above_jti } of changes.tokens) {
      const above = above_jti === undefined ? [] : (chains.get(above_jti) ?? [])
      const human = humans.get(token.human_ref) ?? noMarks()
      humans.set(token.human_ref, human)
      const state = changes.states.get(token.jti) ?? freshState()
      chains.set(token.jti, [{ token, state, agent: agentMarks(token.agent_id), human }, ...above])
    }
    for (const record of changes.created) records.set(record.aar_id, record)
    for (const [key, entry] of changes.registry) registry.set(key, entry)
    for (const approval of changes.approvals) approvals.set(approval.approval_id, approval)
    for (const [name, { key, habit }] of changes.habits)
      if (habit === undefined) habits.delete(name)
      else habits.set(name, { key, habit })
    for (const [agent_id, added] of changes.agents) {
      const known = tallies.get(agent_id)
      tallies.set(agent_id, known === undefined ? added : addTallies(known, added))
    }
    for (const [agent_id, marks] of changes.agent_marks) Object.assign(agentMarks(agent_id), marks)
    for (const [agent_id, owned_by] of changes.agent_owners) owners.set(agent_id, owned_by)
    for (const [name, key] of changes.agent_keys) keys.set(name, key)
    for (const vouch of changes.vouches) vouches.set(vouch.vouch_id, vouch)
    for (const [human_ref, anchor] of changes.anchors) anchors.set(human_ref, anchor)
    for (const [agent_id, score] of changes.vouch_scores) scores.set(agent_id, score)
  }

  return {
    transact(needs, judge) {
      const { changes, result } = judge(factsAt(clock(), needs.overdue))
      write(changes)
      return result
    },
    room: () => undefined,
    close() {},
  }
}
