import { type Evidence, toMicroUsd } from '@deputize/protocol'
import type { Leaf } from '../../log/leaf.ts'

/** A leaf has an invalid member, or refers to something that doesn't exist. The message completes `Leaf 7 ...`. */
export class LeafError extends Error {
  override readonly name = 'LeafError'
}

export function readTextMember(leaf: Leaf, name: string): string {
  const value = leaf[name]
  if (typeof value !== 'string') throw new LeafError(`has no text in ${name}`)
  return value
}

export function readOptionalText(leaf: Leaf, name: string): string | undefined {
  return leaf[name] === undefined ? undefined : readTextMember(leaf, name)
}

export function readNumber(leaf: Leaf, name: string): number {
  const value = leaf[name]
  if (typeof value !== 'number') throw new LeafError(`has no number in ${name}`)
  return value
}

export function readAgentMember(leaf: Leaf): string {
  const named = readTextMember(leaf, 'agent_id')
  if (!named.startsWith('agent:')) throw new LeafError('does not name an agent')
  return named.slice('agent:'.length)
}

/** An absent member means zero. */
export function readSpend(leaf: Leaf): number {
  return leaf.spend_usd === undefined ? 0 : toMicroUsd(readNumber(leaf, 'spend_usd'))
}

/** An absent member means that the agent reported the action itself. */
export function readEvidence({ evidence }: Leaf): Evidence {
  if (evidence === undefined) return 'self_reported'
  if (evidence === 'observed') return evidence
  throw new LeafError('has an unknown kind of evidence')
}

export function readInstant(leaf: Leaf, name: string): number {
  const ms = Date.parse(readTextMember(leaf, name))
  if (Number.isNaN(ms)) throw new LeafError(`has no time in ${name}`)
  return ms
}
