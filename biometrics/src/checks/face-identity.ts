import type { StepEvidence, Template } from '../contract.ts'
import { cosine, meanEmbedding } from '../judge/embeddings.ts'
import { faceEmbeddings } from '../judge/make-template.ts'

/**
 * Returns the lowest cosine between a frame and the neutral step. The mean of the whole capture would resemble both of
 * two people who take half of it each.
 */
export function identityStability(steps: readonly StepEvidence[]): number | undefined {
  const mean = meanEmbedding(neutralEmbeddings(steps))
  if (mean === undefined) return undefined
  const all = steps.flatMap(({ vision }) => vision.embeddings)
  return Math.min(...all.map((one) => cosine(one, mean) ?? -1))
}

/**
 * Returns the lowest cosine between the neutral step and a frame that was drawn at random. Undefined if a step has
 * faces but none was drawn.
 */
export function spotIdentity(steps: readonly StepEvidence[]): number | undefined {
  const mean = meanEmbedding(neutralEmbeddings(steps))
  const withFaces = steps.filter(({ vision }) => vision.faces.length > 0)
  const spots = withFaces.map(({ vision: { spots = [] } }) => spots)
  if (mean === undefined || spots.length === 0 || spots.some(({ length }) => length === 0)) return undefined
  return Math.min(...spots.flat().map((one) => cosine(one, mean) ?? -1))
}

/** Returns the cosine of the capture with the enrolled face. */
export function faceMatch(steps: readonly StepEvidence[], template: Template): number | undefined {
  const mean = meanEmbedding(faceEmbeddings(steps))
  return mean === undefined ? undefined : cosine(mean, template.face)
}

function neutralEmbeddings(steps: readonly StepEvidence[]): readonly string[] {
  return steps.find(({ step }) => step.kind === 'neutral')?.vision.embeddings ?? []
}
