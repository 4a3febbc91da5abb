import type { VisionEvidence } from '../contract.ts'

/** How many frames of a capture show a picture that was there before, in the same step or in an earlier one. */
export function duplicateFrames(steps: readonly VisionEvidence[]): number {
  const all = steps.flatMap(({ fingerprints }) => fingerprints)
  return all.length - new Set(all).size
}
