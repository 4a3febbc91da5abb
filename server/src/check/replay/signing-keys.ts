import type { LeafStep } from './expected.ts'
import { readInstant, readOptionalText, readTextMember } from './leaf-reader.ts'

export function applyKeyRotation({ leaf, replay, effects }: LeafStep): void {
  const kids = [
    readTextMember(leaf, 'kid'),
    readOptionalText(leaf, 'status_lists_kid'),
    readOptionalText(leaf, 'statements_kid'),
  ]
  if (kids.some((kid) => kid !== undefined && replay.withdrawn_keys.has(kid)))
    effects.violations.push('rotates to a signing key that was withdrawn')
}

export function applyKeyWithdrawal(step: LeafStep): void {
  const { leaf, log_index, at_ms, effects } = step
  const { withdrawn_keys } = step.replay
  const kid = readTextMember(leaf, 'kid')
  if (readInstant(leaf, 'from') > at_ms)
    effects.violations.push('withdraws a signing key from a later time on')
  if (!withdrawn_keys.has(kid)) withdrawn_keys.set(kid, log_index)
}
