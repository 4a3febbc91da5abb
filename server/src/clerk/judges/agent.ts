import { AuthorityError, canonicalJson, loggedAgent, tenantOf } from '@deputize/protocol'
import { owningActor } from '../../domain/agent-identity.ts'
import { actorRef } from '../../log/actor-ref.ts'
import type { BatchState } from '../batch-state.ts'
import type { RegisterAgentCommand } from '../command.ts'
import { identityError, identityFacts } from './identity.ts'
import { endVouchesForOwnAgent } from './vouch.ts'

export type StoredProfile = Readonly<Record<string, unknown>>

/** Merges members into an agent's profile, and changes its owners and keys. Absent members stay; null removes one. */
export function judgeRegisterAgent(
  command: RegisterAgentCommand,
  batch: BatchState,
): { readonly profile: StoredProfile } {
  const { agent_id, must_exist, add_keys = [], remove_keys = [] } = command
  if (must_exist && batch.tally(agent_id) === undefined) throw new AuthorityError('agent_unknown')
  const owned_by = newOwners(command, batch)
  for (const jkt of add_keys) assertAddable(jkt, command, batch)
  for (const jkt of remove_keys) assertRemovable(jkt, agent_id, batch)

  const known = batch.profile(agent_id)
  const merged = { ...(known === undefined ? {} : JSON.parse(known)), ...command.profile }
  const profile = Object.fromEntries(Object.entries(merged).filter(([, value]) => value !== null))
  const kept = canonicalJson(profile)
  batch.setProfile(agent_id, kept)
  const { log_index } = batch.appendLeaf('agent.registered', {
    agent_id: loggedAgent(agent_id),
    profile_digest: batch.digest(undefined, 'profile', kept),
    ...(owned_by !== undefined && { owned_by: owned_by.map(actorRef) }),
    ...(add_keys.length > 0 && { keys_added: [...add_keys] }),
    ...(remove_keys.length > 0 && { keys_removed: [...remove_keys] }),
  })
  if (owned_by !== undefined) {
    batch.setOwners(agent_id, owned_by)
    endVouchesForOwnAgent(agent_id, undefined, batch)
  }
  for (const jkt of add_keys) batch.setKey({ agent_id, jkt, log_index, removed_index: undefined })
  for (const jkt of remove_keys) removeKey(jkt, agent_id, log_index, batch)
  return { profile }
}

/**
 * The new owners, or undefined if they don't change. A caller who registers an agent without an owner becomes its
 * owner.
 */
function newOwners(
  { agent_id, actors, owned_by }: RegisterAgentCommand,
  batch: BatchState,
): readonly string[] | undefined {
  if (actors === undefined) return owned_by
  const before = batch.ownedBy(agent_id)
  if (before === undefined) return owned_by ?? actors.slice(0, 1)
  if (owningActor(actors, agent_id, identityFacts(agent_id, batch)) === undefined)
    throw identityError('name_taken', agent_id)
  return owned_by
}

/** Throws if the key belongs to a suspended agent, or to an agent that isn't the caller's. */
function assertAddable(jkt: string, { agent_id, actors }: RegisterAgentCommand, batch: BatchState): void {
  const facts = identityFacts(agent_id, batch)
  for (const { agent_id: holder } of facts.keyHolders(jkt)) {
    if (facts.isSuspended(holder)) throw identityError('key_suspended', agent_id, holder)
    const isOwn = holder === agent_id || actors === undefined
    if (!isOwn && owningActor(actors, holder, facts) === undefined)
      throw identityError('key_taken', agent_id, holder)
  }
}

/**
 * Throws if the agent doesn't have the key, or is suspended: a suspended agent keeps its keys, because a removed one
 * could be used under another name.
 */
function assertRemovable(jkt: string, agent_id: string, batch: BatchState): void {
  const held = batch.keyHolders(tenantOf(agent_id), jkt).find((key) => key.agent_id === agent_id)
  if (held === undefined)
    throw new AuthorityError(
      'invalid_request',
      `/remove_keys names ${jkt}, which is not a key of the agent.`,
      {
        errors: [{ pointer: '/remove_keys', detail: `names ${jkt}, which is not a key of the agent` }],
      },
    )
  if (batch.agentMarks(agent_id).suspended_at_ms !== undefined) throw identityError('key_suspended', agent_id)
}

function removeKey(jkt: string, agent_id: string, removed_index: number, batch: BatchState): void {
  const held = batch.keyHolders(tenantOf(agent_id), jkt).find((key) => key.agent_id === agent_id)
  if (held !== undefined) batch.setKey({ ...held, removed_index })
}
