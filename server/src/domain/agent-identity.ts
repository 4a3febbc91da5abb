/**
 * Rules for who may use an agent's name, and which keys belong to the agent. An owner is `key:<id>` (an API key with
 * its successors), `human:<ref>` (a person), `agent:<name>` (an agent of the same tenant, which delegates to it) or `*`
 * (every developer and person of the tenant). `deputy check` applies the same rules to the references in the log.
 */

import { plainAgent } from '@deputize/protocol'

export const ANYONE = '*'

/** An agent that has registered a key. */
export interface AgentKeyHolder {
  readonly agent_id: string
  /** Whether the agent no longer uses the key. */
  readonly is_removed: boolean
}

/** The facts that the rules depend on. All agents belong to one tenant and have their scoped names. */
export interface IdentityFacts {
  isKnown(agent_id: string): boolean
  /** Undefined if the agent has no owner yet. */
  ownedBy(agent_id: string): readonly string[] | undefined
  keyHolders(jkt: string): readonly AgentKeyHolder[]
  isSuspended(agent_id: string): boolean
  /** Whether a token of `from` has been delegated to `to` before. */
  hasDelegated(from: string, to: string): boolean
}

/** A request to use an agent's name, with the key that its token is bound to. */
export interface NameRequest {
  readonly agent_id: string
  readonly jkt: string | undefined
  /** The names under which the caller may own agents, the primary one first. */
  readonly actors: readonly string[]
}

export type IdentityRefusal = 'name_taken' | 'key_taken' | 'key_removed' | 'key_suspended'

export type IdentityVerdict =
  | { readonly refused: IdentityRefusal; readonly holder?: string }
  | {
      /** The name under which the caller uses the agent. */
      readonly by: string
      /** True if the agent has no owner yet, so the caller becomes its owner. */
      readonly binds: boolean
      /** True if the key is new to the agent. */
      readonly registers: boolean
    }

/** Decides whether the caller may issue a token to an agent or delegate to it. */
export function judgeIdentity(request: NameRequest, facts: IdentityFacts): IdentityVerdict {
  const { agent_id, jkt, actors } = request
  const held = jkt === undefined ? [] : facts.keyHolders(jkt)
  const suspended = held.find((holder) => facts.isSuspended(holder.agent_id))
  if (suspended !== undefined) return { refused: 'key_suspended', holder: suspended.agent_id }
  const own = held.find((holder) => holder.agent_id === agent_id)
  if (own?.is_removed === true) return { refused: 'key_removed' }
  const owner = owningActor(actors, agent_id, facts)
  const registers = jkt !== undefined && own === undefined
  const foreign = registers
    ? held.find((holder) => owningActor(actors, holder.agent_id, facts) === undefined)
    : undefined
  if (foreign !== undefined) return { refused: 'key_taken', holder: foreign.agent_id }
  if (owner !== undefined) return { by: owner, binds: false, registers }
  const [by = ''] = actors
  if (own !== undefined) return { by, binds: false, registers }
  return isFree(request, by, facts) ? { by, binds: true, registers } : { refused: 'name_taken' }
}

/**
 * Whether the caller may take a name that has no owner. A developer or a person may take one that was used before
 * owners were stored. An agent may take one only if it has delegated to that name before.
 */
function isFree({ agent_id }: NameRequest, by: string, facts: IdentityFacts): boolean {
  if (facts.ownedBy(agent_id) !== undefined) return false
  if (!by.startsWith('agent:') || !facts.isKnown(agent_id)) return true
  return facts.hasDelegated(inTenantOf(agent_id, by), agent_id)
}

/** Returns the name under which the caller owns an agent: directly, as that agent, or through its owning agent. */
export function owningActor(
  actors: readonly string[],
  agent_id: string,
  facts: Pick<IdentityFacts, 'ownedBy'>,
  seen: ReadonlySet<string> = new Set(),
): string | undefined {
  if (seen.has(agent_id)) return undefined
  const itself = actors.find((actor) => actor === `agent:${plainAgent(agent_id)}`)
  if (itself !== undefined) return itself
  const owners = facts.ownedBy(agent_id) ?? []
  const direct = actors.find(
    (actor) => owners.includes(actor) || (owners.includes(ANYONE) && !actor.startsWith('agent:')),
  )
  if (direct !== undefined) return direct
  for (const owner of owners) {
    if (!owner.startsWith('agent:')) continue
    const through = owningActor(actors, inTenantOf(agent_id, owner), facts, new Set([...seen, agent_id]))
    if (through !== undefined) return through
  }
  return undefined
}

/** Returns the scoped name of an owner that is an agent. An owner is in the same tenant as what it owns. */
function inTenantOf(agent_id: string, owner: string): string {
  return `${agent_id.slice(0, agent_id.length - plainAgent(agent_id).length)}${owner.slice('agent:'.length)}`
}
