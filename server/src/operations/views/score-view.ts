import type { CutPart, VouchPath } from '@deputize/protocol/trust'
import type { LedgerState } from '../../trust/messages.ts'
import { shownMillionths } from './vouch-view.ts'

export function asOfView({ log_size, log_time }: LedgerState) {
  return { log_size, ...(log_time !== undefined && { at: log_time }) }
}

export function pathView({ flow, steps }: VouchPath) {
  return {
    flow: shownMillionths(flow),
    steps: steps.map(({ vouch_id, from, capacity }) => ({
      vouch_id,
      from,
      capacity: shownMillionths(capacity),
    })),
  }
}

export function cutView(part: CutPart) {
  return { ...part, capacity: shownMillionths(part.capacity) }
}
