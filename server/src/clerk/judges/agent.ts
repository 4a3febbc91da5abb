import { AuthorityError, canonicalJson, loggedAgent } from '@deputize/protocol'
import type { BatchState } from '../batch-state.ts'
import type { RegisterAgentCommand } from '../command.ts'

export type StoredProfile = Readonly<Record<string, unknown>>

/** Merges members into an agent's profile. Members that are left out stay; null removes one. */
export function judgeRegisterAgent(
  command: RegisterAgentCommand,
  batch: BatchState,
): { readonly profile: StoredProfile } {
  const { agent_id, must_exist } = command
  if (must_exist && batch.tally(agent_id) === undefined) throw new AuthorityError('agent_unknown')
  const known = batch.profile(agent_id)
  const merged = { ...(known === undefined ? {} : JSON.parse(known)), ...command.profile }
  const profile = Object.fromEntries(Object.entries(merged).filter(([, value]) => value !== null))
  const kept = canonicalJson(profile)
  batch.setProfile(agent_id, kept)
  batch.appendLeaf('agent.registered', {
    agent_id: loggedAgent(agent_id),
    profile_digest: batch.digest(undefined, 'profile', kept),
  })
  return { profile }
}
