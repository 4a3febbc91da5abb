import type { VisionEvidence } from '../contract.ts'

/** The share of frames with a face, and no second one, in the worst step; undefined without frames. */
export function singleFaceShare(steps: readonly VisionEvidence[]): number | undefined {
  const shares = steps.filter(({ frames }) => frames > 0).map(singleShare)
  return shares.length === 0 ? undefined : Math.min(...shares)
}

/** Frames are searched for further faces every now and then, so a second face stands for the frames around it too. */
function singleShare({ frames, faces, searched, several_faces }: VisionEvidence): number {
  return (faces.length / frames) * (1 - several_faces / Math.max(1, searched))
}

/** Searched frames of the whole capture that show a second face. */
export function secondFaceFrames(steps: readonly VisionEvidence[]): number {
  return steps.reduce((sum, { several_faces }) => sum + several_faces, 0)
}
