import type { CutPart, VouchPath } from '@deputize/protocol/trust'
import type { LedgerState } from '../../trust/messages.ts'
import { shownMillionths } from './vouch-view.ts'

/** Which vouches a caller sees in full, and which only as a number. */
export interface VouchSight {
  /** Whether the caller sees everything. */
  readonly isWhole: boolean
  /** Whether the caller sees a vouch between these refs, or the person with this ref. */
  maySee(...ends: readonly string[]): boolean
}

export function asOfView({ log_size, log_time }: LedgerState) {
  return { log_size, ...(log_time !== undefined && { at: log_time }) }
}

/** Returns the paths to a subject, with the vouches and people that the caller may see. */
export function pathViews(paths: readonly VouchPath[], subject: string, sight: VouchSight) {
  return paths.map(({ flow, steps }) => ({
    flow: shownMillionths(flow),
    steps: steps.map(({ vouch_id, from, capacity }, index) => ({
      ...(sight.maySee(from, steps[index + 1]?.from ?? subject) && { vouch_id, from }),
      capacity: shownMillionths(capacity),
    })),
  }))
}

/** Returns what limits a score. A vouch is named if a path names it. It is on one, because it carries flow. */
export function cutViews(cut: readonly CutPart[], paths: ReturnType<typeof pathViews>, sight: VouchSight) {
  const named = new Set(paths.flatMap(({ steps }) => steps.map(({ vouch_id }) => vouch_id)))
  return cut.map((part) => {
    const { limit } = part
    const capacity = shownMillionths(part.capacity)
    if (part.limit === 'vouch')
      return named.has(part.vouch_id) ? { limit, vouch_id: part.vouch_id, capacity } : { limit, capacity }
    return sight.maySee(part.human_ref) ? { limit, human_ref: part.human_ref, capacity } : { limit, capacity }
  })
}
