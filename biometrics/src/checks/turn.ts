import type { Movement, StepEvidence } from '../contract.ts'
import { quantile } from './medians.ts'
import type { NeutralFace } from './neutral-face.ts'

export interface Turn {
  /** Degrees in the requested direction, relative to the neutral step. Negative the other way. */
  readonly yaw_deg: number
  /** How far the nose left the plane of the face in that direction, in eye distances. */
  readonly parallax: number
}

/** The far end of a turn is reached in several frames, not in a single one that was mismeasured. */
const FAR_END = 0.8

/** Returns the turn. Undefined if it was not requested or no face was seen. */
export function turnOf(
  movement: 'turn_left' | 'turn_right',
  steps: readonly StepEvidence[],
  neutral: NeutralFace | undefined,
): Turn | undefined {
  const faces = stepOf(movement, steps)?.vision.faces ?? []
  if (neutral === undefined || faces.length === 0) return undefined
  const sign = movement === 'turn_left' ? 1 : -1
  const yaws = faces.map(({ yaw }) => sign * (yaw - neutral.yaw))
  const parallaxes = faces.flatMap(({ parallax_x }) => (parallax_x === null ? [] : [sign * parallax_x]))
  return { yaw_deg: quantile(yaws, FAR_END) ?? 0, parallax: quantile(parallaxes, FAR_END) ?? 0 }
}

function stepOf(movement: Movement, steps: readonly StepEvidence[]): StepEvidence | undefined {
  return steps.find(({ step }) => step.kind === 'move' && step.movement === movement)
}
