import type { DuressSign, Step, VisionEvidence } from '../contract.ts'
import { gestureFrames } from './gesture-frames.ts'

/** Longer than the asked sign needs: a hand on its way up passes through others. */
const LEAST_FRAMES = 5

/**
 * Whether the secret hand sign was held up, beside the one that was asked for. If both are the same, the sign says nothing:
 * everybody shows it then.
 */
export function hasDuressGesture(step: Step, vision: VisionEvidence, { gesture }: DuressSign): boolean {
  if (gesture === undefined) return false
  const isAsked = step.kind === 'gesture' && step.gesture === gesture
  return gestureFrames(gesture, vision) >= LEAST_FRAMES && !isAsked
}
