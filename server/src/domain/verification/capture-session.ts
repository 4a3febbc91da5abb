/** The rules of a capture: which step is due, when its answer counts, and when a session is over. */
import type { VerificationState } from '@deputize/protocol'

/** From opening a session to its end. */
export const CAPTURE_SESSION_MS = 180_000
/** The same for a session at an external provider, where people have to find their documents. */
export const EXTERNAL_SESSION_MS = 3_600_000
/** How often a step is repeated because the recording wasn't good enough. */
const MAX_REPEATS = 2
/** The shortest human reaction time. An answer that begins earlier was prepared before its step was known. */
export const LEAD_MS = 250
/** Allows for the transfer to the device and back. */
const TRANSFER_MS = 6_000

export interface RevealedStep {
  readonly revealed_at_ms: number
  readonly duration_ms: number
}

export function answerBy({ revealed_at_ms, duration_ms }: RevealedStep): number {
  return revealed_at_ms + duration_ms + TRANSFER_MS
}

/**
 * Returns a fault if a person can't have given the answer at this time. `media_ms` is the last time in the recording,
 * counted from when the device showed the step: at least that much time must have passed.
 */
export function timingFault(
  step: RevealedStep,
  media_ms: number,
  received_at_ms: number,
): 'answer_early' | 'answer_late' | undefined {
  if (received_at_ms > answerBy(step)) return 'answer_late'
  return received_at_ms - media_ms < step.revealed_at_ms + LEAD_MS ? 'answer_early' : undefined
}

/** The progress of a capture. `reveals` counts every step that was shown, including repeated ones. */
export interface CaptureProgress<Step> {
  /** All steps of the session, including those still to come. */
  readonly steps: readonly Step[]
  readonly steps_done: number
  readonly repeats: number
  readonly reveals: number
  readonly revealed_at_ms: number
}

/** Returns the ID of the due step, which gets a new one each time it is shown. */
export function dueStepId({ reveals }: Pick<CaptureProgress<unknown>, 'reveals'>): string {
  return `st_${reveals}`
}

export function dueStep<Step>({ steps, steps_done }: CaptureProgress<Step>): Step | undefined {
  return steps[steps_done]
}

/** Whether the due step is repeated if the recording isn't good enough. */
export function mayRepeat({ repeats }: Pick<CaptureProgress<unknown>, 'repeats'>): boolean {
  return repeats < MAX_REPEATS
}

/** Returns the progress after the due step was answered: the next one is revealed. */
export function advanced<Step>(progress: CaptureProgress<Step>, now_ms: number): CaptureProgress<Step> {
  const { steps, steps_done, reveals } = progress
  return { steps, steps_done: steps_done + 1, repeats: 0, reveals: reveals + 1, revealed_at_ms: now_ms }
}

/** Returns the progress after the due step is repeated, with the tasks in `remaining` from that step on. */
export function repeated<Step>(
  progress: CaptureProgress<Step>,
  remaining: readonly Step[],
  now_ms: number,
): CaptureProgress<Step> {
  const { steps, steps_done, repeats, reveals } = progress
  return {
    steps: [...steps.slice(0, steps_done), ...remaining],
    steps_done,
    repeats: repeats + 1,
    reveals: reveals + 1,
    revealed_at_ms: now_ms,
  }
}

/** Returns the state at `now_ms`. A session that was judged or cancelled stays so. */
export function stateAt(
  { state, expires_at_ms }: { readonly state: VerificationState; readonly expires_at_ms: number },
  now_ms: number,
): VerificationState {
  return state === 'open' && now_ms >= expires_at_ms ? 'expired' : state
}
