import { type Evidence, toMicroUsd } from '@deputize/protocol'
import type { Leaf } from '../../log/leaf.ts'

/** A leaf lacks a member that leaves of its type have. */
export class LeafError extends Error {
  override readonly name = 'LeafError'
}

export function textIn(leaf: Leaf, name: string): string {
  const value = leaf[name]
  if (typeof value !== 'string') throw new LeafError(`has no text as ${name}`)
  return value
}

export function optionalTextIn(leaf: Leaf, name: string): string | undefined {
  return leaf[name] === undefined ? undefined : textIn(leaf, name)
}

export function numberIn(leaf: Leaf, name: string): number {
  const value = leaf[name]
  if (typeof value !== 'number') throw new LeafError(`has no number as ${name}`)
  return value
}

export function agentIn(leaf: Leaf): string {
  const named = textIn(leaf, 'agent_id')
  if (!named.startsWith('agent:')) throw new LeafError('names no agent')
  return named.slice('agent:'.length)
}

/** What is not told was not spent. */
export function spendIn(leaf: Leaf): number {
  return leaf.spend_usd === undefined ? 0 : toMicroUsd(numberIn(leaf, 'spend_usd'))
}

/** What is not told the agent said itself. Nothing gives any other word yet. */
export function evidenceIn({ evidence }: Leaf): Evidence {
  if (evidence === undefined) return 'self_reported'
  if (evidence === 'observed') return evidence
  throw new LeafError('tells of evidence that nothing gives')
}

export function instantIn(leaf: Leaf, name: string): number {
  const ms = Date.parse(textIn(leaf, name))
  if (Number.isNaN(ms)) throw new LeafError(`has no instant as ${name}`)
  return ms
}
