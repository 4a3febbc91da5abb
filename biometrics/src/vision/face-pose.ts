import { type FaceMesh, meshDepth, meshPoint } from './face-mesh.ts'
import { CHIN, EYES, FOREHEAD_TOP, LEVEL_PAIRS, MOUTH } from './face-points.ts'
import { distance, middle, type Point } from './picture.ts'

/**
 * Degrees. Yaw grows as the person turns left, pitch as they look up, roll as the head tilts clockwise in the picture.
 */
export interface Pose {
  readonly yaw: number
  readonly pitch: number
  readonly roll: number
}

export function poseOf(mesh: FaceMesh): Pose {
  const yaws = LEVEL_PAIRS.map(([right, left]) => {
    const across = distance(meshPoint(mesh, right), meshPoint(mesh, left))
    return degrees(Math.atan2(meshDepth(mesh, left) - meshDepth(mesh, right), across))
  })
  const tall = distance(meshPoint(mesh, FOREHEAD_TOP), meshPoint(mesh, CHIN))
  const pitch = degrees(Math.atan2(meshDepth(mesh, FOREHEAD_TOP) - meshDepth(mesh, CHIN), tall))
  const { right, left } = eyeCentres(mesh)
  const roll = degrees(Math.atan2(left.y - right.y, left.x - right.x))
  return { yaw: yaws.reduce((sum, yaw) => sum + yaw, 0) / yaws.length, pitch, roll }
}

export function eyeCentres(mesh: FaceMesh): { readonly right: Point; readonly left: Point } {
  const centreOf = ({ outer, inner }: { readonly outer: number; readonly inner: number }) =>
    middle([meshPoint(mesh, outer), meshPoint(mesh, inner)])
  return { right: centreOf(EYES.right), left: centreOf(EYES.left) }
}

/** Returns the distance between the eye centres in pixels. */
export function eyeDistance(mesh: FaceMesh): number {
  const { right, left } = eyeCentres(mesh)
  return distance(right, left)
}

/** Returns the distance between the inner lips, in eye distances. */
export function mouthOpening(mesh: FaceMesh): number {
  return gap(mesh, MOUTH.upper, MOUTH.lower) / eyeDistance(mesh)
}

/** Returns the distance between the lids, as a share of the eye's width; the mean of both eyes. */
export function eyeOpening(mesh: FaceMesh): number {
  const openings = [EYES.right, EYES.left].map(
    ({ outer, inner, upper, lower }) =>
      gap(mesh, upper, lower) / distance(meshPoint(mesh, outer), meshPoint(mesh, inner)),
  )
  return openings.reduce((sum, opening) => sum + opening, 0) / openings.length
}

function gap(mesh: FaceMesh, upper: readonly number[], lower: readonly number[]): number {
  return distance(
    middle(upper.map((index) => meshPoint(mesh, index))),
    middle(lower.map((index) => meshPoint(mesh, index))),
  )
}

function degrees(radians: number): number {
  return (radians * 180) / Math.PI
}
