import type { DuressSign, Step, VisionEvidence } from '../contract.ts'
import { gestureFrames } from './gesture-frames.ts'

/** More than the requested sign needs, because a rising hand passes through other signs. */
const LEAST_FRAMES = 5

/**
 * Whether the secret hand sign was held up in addition to the requested one. If both are the same, the sign means
 * nothing, because everyone shows it.
 */
export function hasDuressGesture(step: Step, vision: VisionEvidence, { gesture }: DuressSign): boolean {
  if (gesture === undefined) return false
  const isAsked = step.kind === 'gesture' && step.gesture === gesture
  return gestureFrames(gesture, vision) >= LEAST_FRAMES && !isAsked
}
