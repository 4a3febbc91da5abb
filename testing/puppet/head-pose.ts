import { isFacePoint, LIDS, LIP_CORNERS, LOWER_LIP, UPPER_LIP } from './face-points.ts'
import type { Figure, Point3 } from './figure.ts'

/** The pose of a head. Angles are in degrees; the rest are shares of the maximum, from 0 to 1, unless noted. */
export interface HeadPose {
  /** Positive turns the face to the right of the picture, which is the person's own left. */
  readonly yaw: number
  /** Positive looks up. */
  readonly pitch: number
  readonly roll: number
  readonly mouth: number
  readonly blink: number
  /** How much larger the head is than at rest; 1 is at rest. */
  readonly size: number
  /** Pixels. */
  readonly dx: number
  readonly dy: number
}

export const AT_REST: HeadPose = { yaw: 0, pitch: 0, roll: 0, mouth: 0, blink: 0, size: 1, dx: 0, dy: 0 }

/** The positions of a figure's points in this pose, with their depth. */
export function posed(figure: Figure, pose: HeadPose): Point3[] {
  const points = [...figure.points]
  openMouth(points, figure, pose.mouth)
  closeEyes(points, pose.blink)
  const turn = rotation(pose)
  const { pivot, faceWidth } = figure
  const camera = faceWidth * 5
  return points.map((point, i): Point3 => {
    const follows = figure.follows[i] ?? 0
    // The room doesn't follow small movements.
    if (follows === 0 && pose.size < 1.02) return point
    const turned = turn([point[0] - pivot[0], point[1] - pivot[1], point[2] - pivot[2]])
    // Scaled by how much nearer the point is, so that a head at rest looks like its picture.
    const near = (camera + point[2] - pivot[2]) / (camera + turned[2])
    const x = point[0] + follows * (pivot[0] + turned[0] * near + pose.dx - point[0])
    const y = point[1] + follows * (pivot[1] + turned[1] * near + pose.dy - point[1])
    const size = 1 + (pose.size - 1) * (figure.grows[i] ?? 0)
    return [pivot[0] + (x - pivot[0]) * size, pivot[1] + (y - pivot[1]) * size, pivot[2] + turned[2]]
  })
}

function rotation({ yaw, pitch, roll }: HeadPose): (point: Point3) => Point3 {
  const [sy, cy] = [Math.sin((yaw * Math.PI) / 180), Math.cos((yaw * Math.PI) / 180)]
  const [sp, cp] = [Math.sin((pitch * Math.PI) / 180), Math.cos((pitch * Math.PI) / 180)]
  const [sr, cr] = [Math.sin((roll * Math.PI) / 180), Math.cos((roll * Math.PI) / 180)]
  return ([x, y, z]) => {
    const [x1, z1] = [x * cy - z * sy, x * sy + z * cy]
    const [y2, z2] = [y * cp + z1 * sp, -y * sp + z1 * cp]
    return [x1 * cr - y2 * sr, x1 * sr + y2 * cr, z2]
  }
}

/** The jaw drops: the lower lip and the chin move down, the corners half as much, the upper lip a little up. */
function openMouth(points: Point3[], figure: Figure, mouth: number): void {
  if (mouth === 0) return
  const drop = figure.faceHeight * 0.17 * mouth
  const lip = (ring: readonly number[], amount: number) => {
    for (const [i, index] of ring.entries())
      move(points, index, 0, amount * drop * (0.35 + 0.65 * (1 - ((i - 4) / 5) ** 2)))
  }
  for (const ring of LOWER_LIP) lip(ring, 1)
  for (const ring of UPPER_LIP) lip(ring, -0.1)
  for (const index of LIP_CORNERS) move(points, index, 0, drop * 0.3)
  const lips = new Set([...LOWER_LIP, ...UPPER_LIP, LIP_CORNERS].flat())
  const start = figure.mouthY - figure.faceHeight * 0.1
  figure.points.forEach(([, y], i) => {
    const follows = figure.follows[i] ?? 0
    if (lips.has(i) || follows === 0 || y <= start) return
    const part = Math.min(1, (y - start) / (figure.faceHeight * 0.25))
    move(points, i, 0, drop * part * (isFacePoint(i) ? 1 : follows * 0.8))
  })
}

/** The upper lid meets the lower one and pulls the fold above it. */
function closeEyes(points: Point3[], blink: number): void {
  if (blink === 0) return
  for (const { upper, lower, fold } of LIDS)
    upper.forEach((index, i) => {
      const lid = points[index]
      const below = points[lower[i] ?? 0]
      if (lid === undefined || below === undefined) return
      const down = (below[1] - lid[1]) * 0.95 * blink
      move(points, index, 0, down)
      move(points, fold[i] ?? 0, 0, down * 0.45)
    })
}

function move(points: Point3[], index: number, dx: number, dy: number): void {
  const point = points[index]
  if (point !== undefined) points[index] = [point[0] + dx, point[1] + dy, point[2]]
}
