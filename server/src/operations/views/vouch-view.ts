import { shownAgent } from '@deputize/protocol'
import { isoInstant } from '../../domain/times/time.ts'
import { isStanding, type StoredAnchor, type StoredVouch } from '../../domain/vouch.ts'

const AGENT = 'agent:'
const MILLION = 1_000_000

/** Returns a subject as answers show it: agents without their tenant. */
export function shownSubject(subject: string): string {
  return subject.startsWith(AGENT) ? shownAgent(subject.slice(AGENT.length)) : subject
}

/** Converts millionths to the form that answers show: a number with at most six decimals. */
export function shownMillionths(value: number): number {
  return value / MILLION
}

/** Converts a number in a request to millionths. */
export function toMillionths(value: number): number {
  return Math.round(value * MILLION)
}

export function vouchView(vouch: StoredVouch, now_ms: number) {
  const { vouch_id, from, to, weight, context, note, erased, expires_at_ms, ended_at_ms } = vouch
  return {
    vouch_id,
    from,
    to: shownSubject(to),
    weight: shownMillionths(weight),
    ...(context !== undefined && { context }),
    ...(note !== undefined && { note }),
    ...(erased && { erased }),
    standing: isStanding(vouch, now_ms),
    made_at: isoInstant(vouch.made_at_ms),
    ...(expires_at_ms !== undefined && { expires_at: isoInstant(expires_at_ms) }),
    ...(ended_at_ms !== undefined && { ended_at: isoInstant(ended_at_ms) }),
    log_index: vouch.log_index,
  }
}

export function anchorView({ human_ref, base, reason, named_at_ms, log_index }: StoredAnchor) {
  return {
    human_ref,
    base: shownMillionths(base),
    ...(reason !== undefined && { reason }),
    named_at: isoInstant(named_at_ms),
    log_index,
  }
}
