import type { VisionEvidence } from '../contract.ts'
import { median } from './medians.ts'

/** Returns the spectral peak of the step that looks most like a screen. A single frame decides nothing. */
export function screenPattern(steps: readonly VisionEvidence[]): number | undefined {
  const peaks = steps.flatMap(({ moire }) => median(moire) ?? [])
  return peaks.length === 0 ? undefined : Math.max(...peaks)
}
