import { type FaceMesh, meshPoint } from './face-mesh.ts'
import { NOSE, PLANE } from './face-points.ts'
import { eyeCentres } from './face-pose.ts'
import { fitHomography, fitSimilarity, project } from './geometry.ts'
import { middle, type Point } from './picture.ts'
import { place } from './sample.ts'

/** Points of the plane of the face, then the nose, with the eyes at (0, 0) and (1, 0). */
export type FaceReference = readonly Point[]

export function referenceOf(mesh: FaceMesh): FaceReference {
  const { right, left } = eyeCentres(mesh)
  const level = fitSimilarity(
    [right, left],
    [
      { x: 0, y: 0 },
      { x: 1, y: 0 },
    ],
  )
  const nose = middle([NOSE.tip, ...NOSE.others].map((index) => meshPoint(mesh, index)))
  return [...PLANE.map((index) => meshPoint(mesh, index)), nose].map((point) => place(level, point))
}

/**
 * Returns how far the nose moved beyond what a flat picture allows, in eye distances. Positive x is the person's left.
 * A photo in front of the camera moves as one plane, whatever its angle; a nose does not.
 */
export function parallaxOf(neutral: FaceReference, now: FaceReference): Point | undefined {
  const count = PLANE.length
  const noseThen = neutral[count]
  const noseNow = now[count]
  if (noseThen === undefined || noseNow === undefined) return undefined
  const plane = fitHomography(neutral.slice(0, count), now.slice(0, count))
  if (plane === undefined) return undefined
  const expected = project(plane, noseThen)
  return { x: noseNow.x - expected.x, y: noseNow.y - expected.y }
}
