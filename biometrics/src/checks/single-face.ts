import type { VisionEvidence } from '../contract.ts'

/** Returns the share of frames with a face and no second one in the worst step, or undefined without frames. */
export function singleFaceShare(steps: readonly VisionEvidence[]): number | undefined {
  const shares = steps.filter(({ frames }) => frames > 0).map(singleShare)
  return shares.length === 0 ? undefined : Math.min(...shares)
}

/**
 * Returns the share in one step. Not every frame is searched for more faces, so a second face counts for others too.
 */
function singleShare({ frames, faces, searched, several_faces }: VisionEvidence): number {
  return (faces.length / frames) * (1 - several_faces / Math.max(1, searched))
}

/** Returns the number of searched frames in the whole capture that show a second face. */
export function secondFaceFrames(steps: readonly VisionEvidence[]): number {
  return steps.reduce((sum, { several_faces }) => sum + several_faces, 0)
}
