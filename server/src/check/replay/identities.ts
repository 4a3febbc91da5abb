import { tenantOf } from '@deputize/protocol'
import { type IdentityFacts, type IdentityRefusal, judgeIdentity } from '../../domain/agent-identity.ts'
import type { Token } from '../../domain/tokens/token.ts'
import type { Leaf } from '../../log/leaf.ts'
import {
  type ExpectedAgent,
  type ExpectedToken,
  expectedAgent,
  type LeafStep,
  type ReplayState,
} from './expected.ts'
import { LeafError, readAgentMember, readOptionalText, readTextMember } from './leaf-reader.ts'
import { noteOwners, requireEndsForOwnAgent } from './own-vouches.ts'
import { loggedRefs } from './person-refs.ts'

const HUMAN = 'human:'

/** Applies a change of an agent's profile, owners or keys. */
export function applyAgent({ leaf, log_index, at_ms, replay, effects }: LeafStep): void {
  const agent_id = readAgentMember(leaf)
  const agent = expectedAgent(replay, agent_id, at_ms)
  agent.profile_digest = readTextMember(leaf, 'profile_digest')
  const owned_by = textsIn(leaf, 'owned_by')
  if (owned_by.length > 0) {
    agent.owned_by = owned_by
    noteOwners(owned_by, replay)
    requireEndsForOwnAgent(agent_id, undefined, replay)
  }
  for (const jkt of textsIn(leaf, 'keys_added')) {
    const facts = factsIn(replay, agent_id)
    if (facts.keyHolders(jkt).some((holder) => facts.isSuspended(holder.agent_id)))
      effects.violations.push('adds a key of a suspended agent')
    addKey(replay, agent, agent_id, jkt, log_index)
  }
  for (const jkt of textsIn(leaf, 'keys_removed')) {
    const held = agent.keys.get(jkt)
    if (held === undefined) throw new LeafError('removes a key that the agent does not have')
    if (agent.marks.suspended_at_ms !== undefined)
      effects.violations.push('removes a key of a suspended agent')
    held.removed_index = log_index
  }
}

/**
 * Checks and applies the name and the key that a new token uses. Leaves of open mode, and those from before agents had
 * owners, have no `by`, and may use any name.
 */
export function applyIdentity(step: LeafStep, token: Token, above: ExpectedToken | undefined): void {
  const { leaf, at_ms, replay, effects } = step
  const isKnown = replay.agents.has(token.agent_id)
  const agent = expectedAgent(replay, token.agent_id, at_ms)
  const by = readOptionalText(leaf, 'by')
  if (by !== undefined) {
    const jkt = readOptionalText(leaf, 'jkt')
    if (above?.token.claims.cnf !== undefined && jkt === undefined)
      effects.violations.push('issues a token without a key below a token that is bound to one')
    const isPersons = leaf.type === 'token.renewed' && by === `human:${token.human_ref}`
    const used = leaf.type === 'token.renewed' ? undefined : jkt
    if (!isPersons) applyNameUse(step, by, used, { agent, isKnown, token })
  }
  if (leaf.type === 'token.delegated' && above !== undefined)
    replay.delegations.add(delegationName(above.token.agent_id, token.agent_id))
}

interface NameUse {
  readonly agent: ExpectedAgent
  /** Whether an earlier leaf named the agent. */
  readonly isKnown: boolean
  readonly token: Token
}

function applyNameUse(
  { log_index, replay, effects }: LeafStep,
  by: string,
  jkt: string | undefined,
  { agent, isKnown, token }: NameUse,
): void {
  const { agent_id } = token
  const facts = { ...factsIn(replay, agent_id), isKnown: () => isKnown }
  const verdict = judgeIdentity({ agent_id, jkt, actors: actorsOf(by, replay) }, facts)
  if ('refused' in verdict) {
    effects.violations.push(VIOLATIONS[verdict.refused])
    return
  }
  if (verdict.binds) {
    agent.owned_by = [verdict.by]
    noteOwners(agent.owned_by, replay)
  }
  if (verdict.registers && jkt !== undefined) addKey(replay, agent, agent_id, jkt, log_index)
}

/** The names under which an issuer may own agents: a person has one for each of their refs. */
function actorsOf(by: string, replay: ReplayState): string[] {
  if (!by.startsWith(HUMAN)) return [by]
  return loggedRefs(by.slice(HUMAN.length), replay).map((human_ref) => `${HUMAN}${human_ref}`)
}

const VIOLATIONS: Readonly<Record<IdentityRefusal, string>> = {
  name_taken: 'issues a token to an agent that its issuer does not own',
  key_taken: 'binds a token to the key of an agent that its issuer does not own',
  key_removed: 'binds a token to a key that its agent no longer uses',
  key_suspended: 'binds a token to the key of a suspended agent',
}

function factsIn(replay: ReplayState, agent_id: string): IdentityFacts {
  const tenant_id = tenantOf(agent_id)
  return {
    isKnown: (id) => replay.agents.has(id),
    ownedBy: (id) => replay.agents.get(id)?.owned_by,
    keyHolders: (jkt) =>
      [...(replay.key_holders.get(jkt) ?? [])]
        .filter((holder) => tenantOf(holder) === tenant_id)
        .map((holder) => ({
          agent_id: holder,
          is_removed: replay.agents.get(holder)?.keys.get(jkt)?.removed_index !== undefined,
        })),
    isSuspended: (id) => replay.agents.get(id)?.marks.suspended_at_ms !== undefined,
    hasDelegated: (from, to) => replay.delegations.has(delegationName(from, to)),
  }
}

function addKey(
  replay: ReplayState,
  agent: ExpectedAgent,
  agent_id: string,
  jkt: string,
  log_index: number,
): void {
  agent.keys.set(jkt, { log_index, removed_index: undefined })
  const holders = replay.key_holders.get(jkt) ?? new Set()
  replay.key_holders.set(jkt, holders.add(agent_id))
}

/** No name contains a line break. */
function delegationName(from: string, to: string): string {
  return `${from}\n${to}`
}

function textsIn(leaf: Leaf, name: string): string[] {
  const value = leaf[name]
  if (value === undefined) return []
  if (!Array.isArray(value) || value.some((one) => typeof one !== 'string'))
    throw new LeafError(`has no list of texts in ${name}`)
  return value
}
