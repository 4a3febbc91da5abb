import type { CutPart, VouchPath } from '@deputize/protocol/trust'
import type { LedgerState } from '../../trust/messages.ts'
import { shownMillionths } from './vouch-view.ts'

/** Which vouches a caller sees with their ends, and which only as a number. */
export interface VouchSight {
  /** Whether the caller sees everything. */
  readonly isWhole: boolean
  /** Whether the caller sees a vouch or a person between or of these refs. */
  maySee(...ends: readonly string[]): boolean
}

export function asOfView({ log_size, log_time }: LedgerState) {
  return { log_size, ...(log_time !== undefined && { at: log_time }) }
}

/** Paths to a subject, with the vouches and people that the caller may see. */
export function pathViews(paths: readonly VouchPath[], subject: string, sight: VouchSight) {
  return paths.map(({ flow, steps }) => ({
    flow: shownMillionths(flow),
    steps: steps.map(({ vouch_id, from, capacity }, index) => ({
      ...(sight.maySee(from, steps[index + 1]?.from ?? subject) && { vouch_id, from }),
      capacity: shownMillionths(capacity),
    })),
  }))
}

/** What limits a score. A vouch is named if a path names it: one that limits carries something, so it is on a path. */
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
