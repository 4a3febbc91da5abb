import type { StepEvidence, VisionEvidence } from '../contract.ts'
import { median } from './medians.ts'

/** The face looking straight into the camera. Movements are measured from it. */
export interface NeutralFace {
  readonly yaw: number
  readonly pitch: number
  readonly eye_distance: number
  readonly mouth: number
  readonly eyes: number
}

export function neutralFace(steps: readonly StepEvidence[]): NeutralFace | undefined {
  const vision = steps.find(({ step }) => step.kind === 'neutral')?.vision
  return vision === undefined ? undefined : middleFace(vision)
}

function middleFace({ faces }: VisionEvidence): NeutralFace | undefined {
  if (faces.length === 0) return undefined
  const of = (name: keyof NeutralFace) => median(faces.map((face) => face[name])) ?? 0
  return {
    yaw: of('yaw'),
    pitch: of('pitch'),
    eye_distance: of('eye_distance'),
    mouth: of('mouth'),
    eyes: of('eyes'),
  }
}
