import { loggedAgent } from '@deputize/protocol'
import type { Leaf } from '../../log/leaf.ts'
import { registryRef } from '../../log/registry-ref.ts'
import type { ExpectedVouch, LeafEffects, ReplayedTrust, ReplayState } from './expected.ts'
import { loggedRefs } from './person-refs.ts'

const AGENT = 'agent:'
const HUMAN = 'human:'

/** No name contains a line break. */
export function actedForName(agent_id: string, human_ref: string): string {
  return `${agent_id}\n${human_ref}`
}

/** Remembers the owners of an agent, who may be people that no other leaf names. */
export function noteOwners(owned_by: readonly string[], { trust }: ReplayState): void {
  for (const owner of owned_by)
    if (owner.startsWith(HUMAN))
      trust.refs.set(registryRef(owner.slice(HUMAN.length)), owner.slice(HUMAN.length))
}

/** Whether two refs belong to one person. */
export function isOnePerson(one: string, other: string, replay: ReplayState): boolean {
  return one === other || loggedRefs(one, replay).includes(other)
}

/** Whether an agent belongs to a person, or has ever held a token in their name under any of their refs. */
export function isOwnAgent(agent_id: string, human_ref: string, replay: ReplayState): boolean {
  const owners = replay.agents.get(agent_id)?.owned_by ?? []
  return loggedRefs(human_ref, replay).some(
    (ref) => owners.includes(`${HUMAN}${ref}`) || replay.trust.acted_for.has(actedForName(agent_id, ref)),
  )
}

/**
 * Requires the end of vouches for an agent by people who now own it: by a new token in their name, or as new owners.
 */
export function requireEndsForOwnAgent(
  agent_id: string,
  human_ref: string | undefined,
  replay: ReplayState,
): void {
  const subject = loggedAgent(agent_id)
  if ((replay.trust.of_subject.get(subject)?.size ?? 0) === 0) return
  const people = (replay.agents.get(agent_id)?.owned_by ?? [])
    .filter((owner) => owner.startsWith(HUMAN))
    .map((owner) => owner.slice(HUMAN.length))
  if (human_ref !== undefined) people.push(human_ref)
  for (const from of people.flatMap((person) => loggedRefs(person, replay)))
    for (const { vouch_id } of openBetween(from, subject, replay.trust))
      replay.trust.due_ends.set(vouch_id, 'own_agent')
}

/** Searches the shorter of the two lists, because a well-known agent or person may have very many vouches. */
function openBetween(from: string, to: string, { of_subject }: ReplayedTrust): ExpectedVouch[] {
  const none: ReadonlySet<ExpectedVouch> = new Set()
  const [given, got] = [of_subject.get(from) ?? none, of_subject.get(to) ?? none]
  const shorter = given.size < got.size ? given : got
  return [...shorter].filter((vouch) => vouch.from === from && vouch.to === to)
}

/** Links an address to a person. Vouches from either may now be for the person themselves or their own agents. */
export function linkAddress(id_ref: string, owner: string, replay: ReplayState): void {
  const { linked, of_subject, due_ends } = replay.trust
  const known = linked.get(owner) ?? new Set()
  linked.set(owner, known.add(id_ref))
  for (const from of loggedRefs(owner, replay))
    for (const { vouch_id, from: voucher, to } of of_subject.get(from) ?? []) {
      if (voucher !== from) continue
      if (isOnePerson(from, to, replay)) due_ends.set(vouch_id, 'same_person')
      else if (to.startsWith(AGENT) && isOwnAgent(to.slice(AGENT.length), from, replay))
        due_ends.set(vouch_id, 'own_agent')
    }
}

/** Checks that vouches for oneself end directly after the leaf that turns them into one, and only then. */
export function checkOwnVouches(leaf: Leaf | undefined, replay: ReplayState, effects: LeafEffects): void {
  const { due_ends } = replay.trust
  const isEnd = leaf?.type === 'vouch.withdrawn' && (leaf.by === 'own_agent' || leaf.by === 'same_person')
  if (!isEnd) {
    if (due_ends.size > 0)
      effects.violations.push('is in the place of the end of a vouch for oneself or for an own agent')
    due_ends.clear()
    return
  }
  const vouch_id = String(leaf.vouch_id)
  if (due_ends.get(vouch_id) !== leaf.by)
    effects.violations.push('ends a vouch as one for oneself or for an own agent, which it is not')
  due_ends.delete(vouch_id)
}
