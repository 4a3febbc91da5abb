import type { StepEvidence, Template } from '../contract.ts'
import { cosine, meanEmbedding } from '../judge/embeddings.ts'
import { faceEmbeddings } from '../judge/make-template.ts'

/**
 * Returns the lowest cosine between a frame and the neutral step. The mean of the whole capture would resemble both of
 * two people who take half of it each.
 */
export function identityStability(steps: readonly StepEvidence[]): number | undefined {
  const neutral = steps.find(({ step }) => step.kind === 'neutral')?.vision.embeddings ?? []
  const mean = meanEmbedding(neutral)
  if (mean === undefined) return undefined
  const all = steps.flatMap(({ vision }) => vision.embeddings)
  return Math.min(...all.map((one) => cosine(one, mean) ?? -1))
}

/** Returns the cosine of the capture with the enrolled face. */
export function faceMatch(steps: readonly StepEvidence[], template: Template): number | undefined {
  const mean = meanEmbedding(faceEmbeddings(steps))
  return mean === undefined ? undefined : cosine(mean, template.face)
}
