import { type Box, overlap, type Point } from './picture.ts'

export interface Detection {
  readonly score: number
  readonly box: Box
  /** In the detector's order: eyes, nose, mouth, ears of a face; wrist and knuckles of a palm. */
  readonly points: readonly Point[]
}

/** Returns the detection with the highest score of those that overlap, at most `max`, best first. */
export function strongest(found: readonly Detection[], max: number): Detection[] {
  const kept: Detection[] = []
  for (const candidate of [...found].sort((a, b) => b.score - a.score)) {
    if (kept.length === max) break
    if (kept.every((other) => overlap(other.box, candidate.box) < 0.3)) kept.push(candidate)
  }
  return kept
}
