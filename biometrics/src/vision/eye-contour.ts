import { type FaceMesh, meshPoint } from './face-mesh.ts'
import { EYES } from './face-points.ts'
import { outputOf, type PictureNet } from './nets.ts'
import { distance, middle, type Picture } from './picture.ts'
import { samplePatch, turnedSquare } from './sample.ts'

const SIZE = 64
/** 71 points around the eye and 5 of the iris, three numbers each. */
const VALUES = 228
/** As a multiple of the eye's width. */
const MARGIN = 2.3
const CORNERS = [0, 8] as const
const LOWER = [2, 3, 4, 5, 6] as const
const UPPER = [10, 11, 12, 13, 14] as const

/**
 * Returns the distance between the lids, as a share of the eye's width; the mean of both eyes. The face mesh follows
 * lids slowly, but this net looks at nothing else.
 */
export async function lidOpening(net: PictureNet, picture: Picture, mesh: FaceMesh): Promise<number> {
  const right = await openingOf(net, picture, mesh, 'right')
  const left = await openingOf(net, picture, mesh, 'left')
  return (right + left) / 2
}

async function openingOf(
  net: PictureNet,
  picture: Picture,
  mesh: FaceMesh,
  side: keyof typeof EYES,
): Promise<number> {
  const [outer, inner] = [meshPoint(mesh, EYES[side].outer), meshPoint(mesh, EYES[side].inner)]
  const [from, to] = side === 'right' ? [outer, inner] : [inner, outer]
  const angle = Math.atan2(to.y - from.y, to.x - from.x)
  const map = turnedSquare(middle([outer, inner]), distance(outer, inner) * MARGIN, angle, SIZE)
  const patch = samplePatch(picture, map, SIZE, { scale: 1 / 255, offset: 0, planes: false })
  // The net knows left eyes, so a right eye is mirrored.
  const points = outputOf(await net(side === 'left' ? patch : mirrored(patch)), VALUES)
  const at = (index: number) => ({ x: points[3 * index] ?? 0, y: points[3 * index + 1] ?? 0 })
  const [a, b] = CORNERS
  return distance(middle(UPPER.map(at)), middle(LOWER.map(at))) / (distance(at(a), at(b)) || 1)
}

function mirrored(patch: Float32Array): Float32Array {
  return patch.map((_, i) => {
    const pixel = Math.floor(i / 3)
    const column = pixel % SIZE
    return patch[(pixel - column + (SIZE - 1 - column)) * 3 + (i % 3)] ?? 0
  })
}
