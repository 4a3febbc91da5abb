import type { LeafStep } from './expected.ts'
import { LeafError, readInstant, readNumber, readTextMember } from './leaf-reader.ts'

/** Checks that a log continues after a restore only if none of it is known to be missing. */
export function applyRestored({ leaf, log_index, at_ms, effects }: LeafStep): void {
  readTextMember(leaf, 'origin')
  if (readInstant(leaf, 'backed_up_at') > at_ms)
    effects.violations.push('restores a backup from a later time')
  if (typeof leaf.continues !== 'boolean') throw new LeafError('does not say whether the log continues')
  if (leaf.newest_size === undefined) return
  if (readNumber(leaf, 'newest_size') <= log_index)
    effects.violations.push('names a lost checkpoint that the log still covers')
  if (leaf.continues) effects.violations.push('continues a log whose entries were lost')
}
