import type { Gesture, VisionEvidence } from '../contract.ts'

/**
 * Returns the longest run of frames with the sign. A frame between two of them may be unclear, but show no other sign.
 */
export function gestureFrames(gesture: Gesture, { gestures }: VisionEvidence): number {
  let longest = 0
  let run = 0
  for (const [i, seen] of gestures.entries()) {
    if (seen === gesture) run += 1
    else if (seen !== null || gestures[i - 1] !== gesture) run = 0
    longest = Math.max(longest, run)
  }
  return longest
}
