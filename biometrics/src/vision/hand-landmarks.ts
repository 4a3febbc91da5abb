import type { Detection } from './detections.ts'
import type { PictureNet } from './nets.ts'
import { boxAround, centre, middle, type Picture, type Point } from './picture.ts'
import { place, samplePatch, turnedSquare } from './sample.ts'

/** 21 points: the wrist, then four for each finger, starting with the thumb. */
export interface Hand {
  /** In pixels of the picture. */
  readonly points: readonly Point[]
  /** In the hand's own space: three numbers per point, y downwards, rotated like the picture. */
  readonly xyz: Float32Array
  /** How sure the net is that this is a hand, 0 to 1. */
  readonly score: number
}

export interface HandArea {
  readonly at: Point
  readonly span: number
  readonly angle: number
}

export const HAND_POINTS = 21
const SIZE = 224
const OUTPUTS = { screen: 'Identity:0', presence: 'Identity_1:0', space: 'Identity_3:0' } as const
const WRIST = 0
const KNUCKLES = [5, 9, 13] as const
/** Wrist, knuckles and first joints: steady while fingers bend. */
const STEADY = [0, 1, 2, 3, 5, 6, 9, 10, 13, 14, 17, 18] as const
const PALM_MARGIN = 2.6
const PALM_SHIFT = 0.5
const HAND_MARGIN = 2
const HAND_SHIFT = 0.1

export async function handLandmarks(net: PictureNet, picture: Picture, area: HandArea): Promise<Hand> {
  const map = turnedSquare(area.at, area.span, area.angle, SIZE)
  const outputs = await net(samplePatch(picture, map, SIZE, { scale: 1 / 255, offset: 0, planes: false }))
  const screen = outputs[OUTPUTS.screen]
  const space = outputs[OUTPUTS.space]
  const presence = outputs[OUTPUTS.presence]
  if (screen === undefined || space === undefined || presence === undefined)
    throw new Error('the hand net lacks an output')
  const points = Array.from({ length: HAND_POINTS }, (_, i) =>
    place(map, { x: (screen[3 * i] ?? 0) - 0.5, y: (screen[3 * i + 1] ?? 0) - 0.5 }),
  )
  return { points, xyz: turned(space, area.angle), score: presence[0] ?? 0 }
}

export function areaOfPalm({ box, points }: Detection): HandArea {
  const [wrist = centre(box), , knuckle = wrist] = points
  const angle = uprightAngle(wrist, knuckle)
  const span = Math.max(box.width, box.height)
  return { at: along(centre(box), angle, PALM_SHIFT * span), span: span * PALM_MARGIN, angle }
}

/** Returns where the last frame's hand will be in the next frame. */
export function areaOfHand({ points }: Hand): HandArea {
  const wrist = points[WRIST] ?? { x: 0, y: 0 }
  const angle = uprightAngle(wrist, middle(pick(points, KNUCKLES)))
  const [cos, sin] = [Math.cos(angle), Math.sin(angle)]
  const box = boxAround(
    pick(points, STEADY).map(({ x, y }) => ({ x: cos * x + sin * y, y: cos * y - sin * x })),
  )
  const { x, y } = centre(box)
  const span = Math.max(box.width, box.height)
  const at = along({ x: cos * x - sin * y, y: sin * x + cos * y }, angle, HAND_SHIFT * span)
  return { at, span: span * HAND_MARGIN, angle }
}

/** Returns how far the picture must be rotated for the fingers to point up. */
function uprightAngle(wrist: Point, knuckle: Point): number {
  return Math.atan2(knuckle.x - wrist.x, wrist.y - knuckle.y)
}

/** Returns the point `length` pixels from `at` towards the fingers. */
function along(at: Point, angle: number, length: number): Point {
  return { x: at.x + Math.sin(angle) * length, y: at.y - Math.cos(angle) * length }
}

function turned(space: Float32Array, angle: number): Float32Array {
  const [cos, sin] = [Math.cos(angle), Math.sin(angle)]
  return space.map((value, i) => {
    if (i % 3 === 0) return cos * value - sin * (space[i + 1] ?? 0)
    if (i % 3 === 1) return sin * (space[i - 1] ?? 0) + cos * value
    return value
  })
}

function pick(points: readonly Point[], indexes: readonly number[]): Point[] {
  return indexes.flatMap((index) => points[index] ?? [])
}
