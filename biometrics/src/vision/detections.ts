import { type Box, overlap, type Point } from './picture.ts'

export interface Detection {
  readonly score: number
  readonly box: Box
  /** In the order of the detector: eyes, nose, mouth, ears of a face; wrist and knuckles of a palm. */
  readonly points: readonly Point[]
}

/** Of detections that cover each other, the one with the highest score. Best first. */
export function strongest(found: readonly Detection[], max: number): Detection[] {
  const kept: Detection[] = []
  for (const candidate of [...found].sort((a, b) => b.score - a.score)) {
    if (kept.length === max) break
    if (kept.every((other) => overlap(other.box, candidate.box) < 0.3)) kept.push(candidate)
  }
  return kept
}
