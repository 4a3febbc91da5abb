import type { Template, VisionEvidence } from '../contract.ts'
import { floatsToText, textToFloats } from '../vision/float-text.ts'

/** The lowest cosine between a frame and all frames together: another face in any step lowers it. */
export function identityStability(steps: readonly VisionEvidence[]): number | undefined {
  const all = embeddingsOf(steps)
  const mean = meanOf(all)
  return mean === undefined ? undefined : Math.min(...all.map((one) => cosine(one, mean)))
}

/** Cosine of the capture with the enrolled face. */
export function faceMatch(steps: readonly VisionEvidence[], template: Template): number | undefined {
  const mean = meanOf(embeddingsOf(steps))
  if (mean === undefined) return undefined
  const enrolled = textToFloats(template.face)
  return enrolled.length === mean.length ? cosine(mean, enrolled) : undefined
}

/** The face of a capture, as a template keeps it. */
export function faceTemplate(steps: readonly VisionEvidence[]): string | undefined {
  const mean = meanOf(embeddingsOf(steps))
  return mean === undefined ? undefined : floatsToText(mean)
}

export function cosine(a: Float32Array, b: Float32Array): number {
  let dot = 0
  for (let i = 0; i < a.length; i++) dot += (a[i] ?? 0) * (b[i] ?? 0)
  return dot / (Math.hypot(...a) * Math.hypot(...b) || 1)
}

function embeddingsOf(steps: readonly VisionEvidence[]): Float32Array[] {
  return steps.flatMap(({ embeddings }) => embeddings.map(textToFloats))
}

/** Of length 1; undefined of nothing. */
function meanOf(all: readonly Float32Array[]): Float32Array | undefined {
  const [first] = all
  if (first === undefined) return undefined
  const sum = first.map((_, i) => all.reduce((total, one) => total + (one[i] ?? 0), 0))
  const length = Math.hypot(...sum) || 1
  return sum.map((value) => value / length)
}
