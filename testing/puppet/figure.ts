import { type Bitmap, blankBitmap, samplePixel } from './bitmap.ts'
import { isFacePoint, LIP_CORNERS, LOWER_LIP, MOUTH_INSIDE, OVAL, UPPER_LIP } from './face-points.ts'
import { type Triangle, triangulate } from './triangulate.ts'

export const WIDTH = 640
export const HEIGHT = 480

export type Point3 = readonly [number, number, number]

/** A made-up face in front of a camera: its picture, its points in three dimensions, and the triangles between them. */
export interface Figure {
  readonly texture: Bitmap
  /** The points of the face mesh, then rings of hair, neck and room around them. Depth grows away from the camera. */
  readonly points: readonly Point3[]
  /** How much each point follows the turns of the head: 1 for the face, 0 for the room. */
  readonly follows: readonly number[]
  /** How much each point follows when the person comes closer. */
  readonly grows: readonly number[]
  readonly triangles: readonly FigureTriangle[]
  readonly faceWidth: number
  readonly faceHeight: number
  /** The point where the neck holds the head. */
  readonly pivot: Point3
  readonly mouthY: number
}

export interface FigureTriangle {
  readonly corners: Triangle
  readonly part: 'face' | 'mouth' | 'hair' | 'room'
}

/** `mesh` holds x, y and z of the 468 points, in pixels of the avatar. */
export function aFigure(avatar: Bitmap, mesh: ArrayLike<number>): Figure {
  const scale = SIZE / avatar.width
  const face: Point3[] = []
  for (let i = 0; i < 468; i++)
    face.push([
      (mesh[i * 3] ?? 0) * scale + LEFT,
      (mesh[i * 3 + 1] ?? 0) * scale + TOP,
      (mesh[i * 3 + 2] ?? 0) * scale,
    ])
  return figureOf(sceneOf(avatar), face)
}

const SIZE = 440
const LEFT = (WIDTH - SIZE) / 2
const TOP = HEIGHT - SIZE

function figureOf(texture: Bitmap, mesh: readonly Point3[]): Figure {
  const faceWidth = (mesh[454]?.[0] ?? 0) - (mesh[234]?.[0] ?? 0)
  const face = mesh.map(([x, y, z]): Point3 => [x, y, flattened(z, faceWidth * 0.12)])
  const at = (index: number): Point3 => face[index] ?? [0, 0, 0]
  const faceHeight = at(152)[1] - at(10)[1]
  const rings = ringsAround(face, faceWidth)
  const points = [...face, ...rings.map(({ point }) => point)]
  const follows = [...face.map(() => 1), ...rings.map((one) => one.follows)]
  const grows = [...face.map(() => 1), ...rings.map((one) => one.grows)]
  const middle: Point3 = [
    (at(234)[0] + at(454)[0]) / 2,
    (at(10)[1] + at(152)[1]) / 2 + faceHeight * 0.15,
    (at(234)[2] + at(454)[2]) / 2 + faceWidth * 0.1,
  ]
  const shape = {
    points,
    follows,
    grows,
    faceWidth,
    faceHeight,
    pivot: middle,
    mouthY: (at(13)[1] + at(14)[1]) / 2,
  }
  return { texture, ...shape, triangles: trianglesOf(shape) }
}

/** Reduces the depth of the sides of a face, which its picture shows at a flat angle: a turn would tear them. */
function flattened(z: number, edge: number): number {
  return z < edge ? z : edge + (z - edge) * 0.45
}

type Shape = Omit<Figure, 'texture' | 'triangles'>

/**
 * Triangles are found with the mouth wide open and the rings of the lips drawn apart, so that no triangle spans from one
 * lip to the other except inside the mouth.
 */
function trianglesOf(shape: Shape): FigureTriangle[] {
  const apart = lipsApart(shape)
  const flat = shape.points.map(([x, y], i): Place => {
    const [px, py] = apart.get(i) ?? [x, y + (isBelowMouth(shape, i, y) ? shape.faceHeight * 0.12 : 0)]
    // A tiny offset keeps points from being collinear, because those form no Delaunay triangles.
    return [px + Math.sin(i * 12.9898) * 0.01, py + Math.sin(i * 78.233) * 0.01]
  })
  return triangulate(flat).map((corners) => ({ corners, part: partOf(corners, shape) }))
}

type Place = readonly [number, number]

function isBelowMouth({ mouthY, faceHeight, follows }: Shape, index: number, y: number): boolean {
  return (follows[index] ?? 0) > 0.5 && y > mouthY + faceHeight * 0.05
}

/** Each ring of the lips as a smaller copy of the outer one. */
function lipsApart({ points, faceHeight }: Shape): Map<number, Place> {
  const at = (index: number | undefined): Place => {
    const [x, y] = points[index ?? 0] ?? [0, 0]
    return [x, y]
  }
  const drop = faceHeight * 0.12
  const middle: Place = [(at(61)[0] + at(291)[0]) / 2, (at(0)[1] + at(17)[1] + drop) / 2]
  const places = new Map<number, Place>()
  const place = (index: number | undefined, [x, y]: Place, ring: number) => {
    const part = 1 - ring * 0.17
    places.set(index ?? 0, [middle[0] + (x - middle[0]) * part, middle[1] + (y - middle[1]) * part])
  }
  for (let ring = 0; ring < 4; ring++) {
    for (const [i, index] of (UPPER_LIP[ring] ?? []).entries()) place(index, at(UPPER_LIP[0]?.[i]), ring)
    for (const [i, index] of (LOWER_LIP[ring] ?? []).entries()) {
      const [x, y] = at(LOWER_LIP[0]?.[i])
      place(index, [x, y + drop], ring)
    }
    for (const [start, corner] of [
      [0, 61],
      [4, 291],
    ] as const)
      place(LIP_CORNERS[start + ring], [at(corner)[0], at(corner)[1] + drop / 2], ring)
  }
  return places
}

function partOf(corners: Triangle, { follows }: Shape): FigureTriangle['part'] {
  if (corners.every((corner) => MOUTH_INSIDE.has(corner))) return 'mouth'
  if (corners.every(isFacePoint)) return 'face'
  return corners.some((corner) => follows[corner] === 0) ? 'room' : 'hair'
}

interface RingPoint {
  readonly point: Point3
  readonly follows: number
  readonly grows: number
}

/** How far each ring is from the middle of the face, how far behind its edge, and how much it follows the head. */
const RINGS = [
  { out: 1.12, behind: 0.04, top: 1, bottom: 1, grows: 1 },
  { out: 1.38, behind: 0.08, top: 0.95, bottom: 0.6, grows: 1 },
  { out: 2, behind: 0.1, top: 0, bottom: 0, grows: 0.8 },
]

function ringsAround(face: readonly Point3[], faceWidth: number): RingPoint[] {
  const outline = OVAL.map((index) => face[index] ?? ([0, 0, 0] as const))
  const x = outline.reduce((sum, point) => sum + point[0], 0) / outline.length
  const y = outline.reduce((sum, point) => sum + point[1], 0) / outline.length
  const rings = RINGS.flatMap(({ out, behind, top, bottom, grows }) =>
    outline.map((point): RingPoint => {
      const down = Math.max(0, Math.min(1, (point[1] - y) / (faceWidth * 0.6)))
      return {
        point: [x + (point[0] - x) * out, y + (point[1] - y) * out, point[2] + faceWidth * behind],
        follows: top + (bottom - top) * down,
        grows,
      }
    }),
  )
  return [...rings, ...frameEdge(faceWidth)]
}

function frameEdge(faceWidth: number): RingPoint[] {
  const edge: RingPoint[] = []
  const far = 200
  for (let i = 0; i <= 8; i++)
    for (const [x, y] of [
      [-far + ((WIDTH + 2 * far) * i) / 8, -far],
      [-far + ((WIDTH + 2 * far) * i) / 8, HEIGHT + far],
      [-far, -far + ((HEIGHT + 2 * far) * i) / 8],
      [WIDTH + far, -far + ((HEIGHT + 2 * far) * i) / 8],
    ] as const)
      if (i < 8 || x > 0 || y > 0) edge.push({ point: [x, y, faceWidth], follows: 0, grows: 0 })
  return distinct(edge)
}

function distinct(edge: readonly RingPoint[]): RingPoint[] {
  return [...new Map(edge.map((one) => [one.point.join(), one])).values()]
}

/** The avatar at the bottom of the frame. The room around it is the avatar's edge, stretched and blurred. */
function sceneOf(avatar: Bitmap): Bitmap {
  const scene = blankBitmap(WIDTH, HEIGHT)
  const scale = avatar.width / SIZE
  for (let y = 0; y < HEIGHT; y++)
    for (let x = 0; x < WIDTH; x++) {
      const at = (y * WIDTH + x) * 3
      const beside = Math.max(LEFT - x, x - (LEFT + SIZE - 1), 0)
      const over = Math.max(TOP - y, 0)
      const place = [(x - LEFT + 0.5) * scale - 0.5, (y - TOP + 0.5) * scale - 0.5] as const
      if (beside + over === 0) samplePixel(avatar, ...place, scene.rgb, at)
      else blurredPixel(avatar, place, [over / 2, beside / 2], scene.rgb, at)
    }
  return scene
}

const pixel = new Uint8ClampedArray(3)

/** The mean of the pixels within `radius` to each side. Pixels outside the picture count as those at its edge. */
function blurredPixel(from: Bitmap, [x, y]: Place, radius: Place, out: Uint8ClampedArray, at: number): void {
  const sum = [0, 0, 0]
  for (let i = -4; i <= 4; i++) {
    samplePixel(from, x + (i * radius[0]) / 4, y + (i * radius[1]) / 4, pixel, 0)
    for (let c = 0; c < 3; c++) sum[c] = (sum[c] ?? 0) + (pixel[c] ?? 0)
  }
  for (let c = 0; c < 3; c++) out[at + c] = (sum[c] ?? 0) / 9
}
