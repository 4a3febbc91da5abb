import type { VisionEvidence } from '../contract.ts'
import { median } from './medians.ts'

/** The spectral peak of the step that looks most like a screen. One frame alone decides nothing. */
export function screenPattern(steps: readonly VisionEvidence[]): number | undefined {
  const peaks = steps.flatMap(({ moire }) => median(moire) ?? [])
  return peaks.length === 0 ? undefined : Math.max(...peaks)
}
