import type { Leaf } from '../../log/leaf.ts'
import type { LeafEffects, LeafPosition, ReplayState } from './expected.ts'
import { readInstant, readOptionalText, readTextMember } from './leaf-reader.ts'

export function applyKeyRotation(
  leaf: Leaf,
  _position: LeafPosition,
  replay: ReplayState,
  effects: LeafEffects,
): void {
  const kids = [
    readTextMember(leaf, 'kid'),
    readOptionalText(leaf, 'status_lists_kid'),
    readOptionalText(leaf, 'statements_kid'),
  ]
  if (kids.some((kid) => kid !== undefined && replay.withdrawn_keys.has(kid)))
    effects.violations.push('rotates to a signing key that was withdrawn')
}

export function applyKeyWithdrawal(
  leaf: Leaf,
  { log_index, at_ms }: LeafPosition,
  { withdrawn_keys }: ReplayState,
  effects: LeafEffects,
): void {
  const kid = readTextMember(leaf, 'kid')
  if (readInstant(leaf, 'from') > at_ms)
    effects.violations.push('withdraws a signing key from a later time on')
  if (!withdrawn_keys.has(kid)) withdrawn_keys.set(kid, log_index)
}
