import { AuthorityError, canonicalJson, loggedAgent } from '@deputize/protocol'
import type { Ledger } from '../batch-state.ts'
import type { KeyRotatedCommand, RegisterAgentCommand } from '../command.ts'

export type Profile = Readonly<Record<string, unknown>>

/** Sets what is known about an agent. Members that are not named stay, null takes one away. */
export function registerAgent(command: RegisterAgentCommand, ledger: Ledger): { readonly profile: Profile } {
  const { agent_id, must_exist } = command
  if (must_exist && ledger.tally(agent_id) === undefined) throw new AuthorityError('agent_unknown')
  const known = ledger.profile(agent_id)
  const merged = { ...(known === undefined ? {} : JSON.parse(known)), ...command.profile }
  const profile = Object.fromEntries(Object.entries(merged).filter(([, value]) => value !== null))
  const kept = canonicalJson(profile)
  ledger.setProfile(agent_id, kept)
  ledger.log('agent.registered', {
    agent_id: loggedAgent(agent_id),
    profile_digest: ledger.digest(undefined, 'profile', kept),
  })
  return { profile }
}

export function keyRotated({ kid }: KeyRotatedCommand, ledger: Ledger) {
  return { kid, log_index: ledger.log('key.rotated', { kid }).log_index }
}
