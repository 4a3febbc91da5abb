import type { VisionEvidence } from '../contract.ts'

/** Returns the number of frames in a capture that repeat an earlier picture, in the same step or an earlier one. */
export function duplicateFrames(steps: readonly VisionEvidence[]): number {
  const all = steps.flatMap(({ fingerprints }) => fingerprints)
  return all.length - new Set(all).size
}
