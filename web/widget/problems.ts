import type { FailureCode, Interruption } from './screens.ts'

/** What follows a refusal by the service: the recording can be repeated, or the session has failed. */
export type Consequence =
  | { readonly type: 'interrupted'; readonly why: Interruption }
  | { readonly type: 'failed'; readonly code: FailureCode }

const CONSEQUENCES: Readonly<Record<string, Consequence>> = {
  answer_late: { type: 'interrupted', why: 'slow' },
  answer_early: { type: 'interrupted', why: 'interrupted' },
  step_mismatch: { type: 'interrupted', why: 'interrupted' },
  media_invalid: { type: 'interrupted', why: 'retry' },
  engine_unavailable: { type: 'interrupted', why: 'engine' },
  provider_unavailable: { type: 'interrupted', why: 'engine' },
  session_unknown: { type: 'failed', code: 'unknown' },
  session_taken: { type: 'failed', code: 'taken' },
  // Another device has begun since.
  nonce_mismatch: { type: 'failed', code: 'taken' },
  verification_locked: { type: 'failed', code: 'locked' },
  not_enrolled: { type: 'failed', code: 'not_enrolled' },
  cross_site_request: { type: 'failed', code: 'blocked' },
}

/** Refusals after which the same call works a moment later. */
const PASSING = [
  'engine_busy',
  'rate_limited',
  'overloaded',
  'shutting_down',
  'storage_unavailable',
  'clock_jumped',
]

export function isPassingRefusal({ code }: Pick<ServiceRefusal, 'code'>): boolean {
  return PASSING.includes(code)
}

const CLOSED: Readonly<Record<string, FailureCode>> = {
  expired: 'expired',
  judged: 'used',
  cancelled: 'cancelled',
}

export interface ServiceRefusal {
  readonly code: string
  /** The state of a session that takes no more answers. */
  readonly state?: string | undefined
}

/** What follows if the service refuses a call. `is_capturing`: an expired capture can be opened again. */
export function consequenceOf({ code, state = '' }: ServiceRefusal, is_capturing: boolean): Consequence {
  if (code === 'session_closed') {
    if (state === 'expired' && is_capturing) return { type: 'interrupted', why: 'timeout' }
    return { type: 'failed', code: Object.hasOwn(CLOSED, state) ? (CLOSED[state] ?? 'other') : 'other' }
  }
  if (isPassingRefusal({ code })) return { type: 'interrupted', why: 'engine' }
  return (
    (Object.hasOwn(CONSEQUENCES, code) ? CONSEQUENCES[code] : undefined) ?? { type: 'failed', code: 'other' }
  )
}

/** What follows if the session is no longer waiting: another device has it, or it is over. */
export function openedBefore(state: string): Consequence {
  return state === 'open'
    ? { type: 'failed', code: 'taken' }
    : consequenceOf({ code: 'session_closed', state }, false)
}
