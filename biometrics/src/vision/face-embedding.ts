import { type FaceMesh, meshPoint } from './face-mesh.ts'
import { MOUTH, NOSE } from './face-points.ts'
import { eyeCentres } from './face-pose.ts'
import { fitSimilarity } from './geometry.ts'
import { outputOf, type PictureNet } from './nets.ts'
import type { Picture } from './picture.ts'
import { samplePatch } from './sample.ts'

export const EMBEDDING_LENGTH = 128
const SIZE = 112
/** Where the net expects eyes, nose and mouth corners, from the person's right to their left. */
const TEMPLATE = [
  { x: 38.2946, y: 51.6963 },
  { x: 73.5318, y: 51.5014 },
  { x: 56.0252, y: 71.7366 },
  { x: 41.5493, y: 92.3655 },
  { x: 70.7299, y: 92.2041 },
] as const

/** Returns the net's embedding of the face: 128 numbers of unit length. */
export async function faceEmbedding(
  net: PictureNet,
  picture: Picture,
  mesh: FaceMesh,
): Promise<Float32Array> {
  const { right, left } = eyeCentres(mesh)
  const points = [right, left, ...[NOSE.tip, MOUTH.right, MOUTH.left].map((index) => meshPoint(mesh, index))]
  const patch = samplePatch(picture, fitSimilarity(TEMPLATE, points), SIZE, {
    scale: 1,
    offset: 0,
    planes: true,
  })
  return unit(outputOf(await net(patch), EMBEDDING_LENGTH))
}

function unit(values: Float32Array): Float32Array {
  const length = Math.hypot(...values) || 1
  return values.map((value) => value / length)
}
