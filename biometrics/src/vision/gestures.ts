import type { Gesture } from '../contract.ts'
import type { Hand } from './hand-landmarks.ts'

/** The first point of each finger; three more follow. */
const FINGERS = { thumb: 1, index: 5, middle: 9, ring: 13, little: 17 } as const
type Finger = keyof typeof FINGERS
const LONG_FINGERS = ['index', 'middle', 'ring', 'little'] as const

/** Degrees between the first and the last bone. A finger between the two is neither, and the sign is unclear. */
const STRAIGHT = 50
const FOLDED = 65
const THUMB_STRAIGHT = 40
/** Degrees between a finger and the vertical. */
const UPWARDS = 40

/** Returns the sign that a hand makes, or undefined if it makes none of the list, or not clearly. */
export function gestureOf(hand: Hand): Gesture | undefined {
  const straight = LONG_FINGERS.filter((finger) => bend(hand, finger) <= STRAIGHT)
  const folded = LONG_FINGERS.filter((finger) => bend(hand, finger) >= FOLDED)
  if (straight.length + folded.length < LONG_FINGERS.length) return undefined
  switch (straight.join()) {
    case 'index,middle,ring,little':
      return isThumbOut(hand) ? 'open_palm' : undefined
    case 'index,middle':
      return 'victory'
    case 'index':
      return tilt(hand, 'index') <= UPWARDS ? 'point_up' : undefined
    case '':
      return thumbSign(hand)
    default:
      return undefined
  }
}

function thumbSign(hand: Hand): Gesture | undefined {
  return isThumbOut(hand) && tilt(hand, 'thumb') <= UPWARDS ? 'thumbs_up' : undefined
}

/** Whether the thumb is straight, with its tip further from the little finger's knuckle than its joint. */
function isThumbOut(hand: Hand): boolean {
  const knuckle = pointOf(hand, FINGERS.little)
  const tip = length(minus(pointOf(hand, 4), knuckle))
  const joint = length(minus(pointOf(hand, 2), knuckle))
  return bend(hand, 'thumb') <= THUMB_STRAIGHT && tip > joint * 1.1
}

function bend(hand: Hand, finger: Finger): number {
  const [a, b, c, d] = [0, 1, 2, 3].map((i) => pointOf(hand, FINGERS[finger] + i))
  if (a === undefined || b === undefined || c === undefined || d === undefined) return 180
  return angleBetween(minus(b, a), minus(d, c))
}

/** Returns the degrees between the finger and the picture's vertical. */
function tilt(hand: Hand, finger: Finger): number {
  const from = hand.points[FINGERS[finger] + 1]
  const to = hand.points[FINGERS[finger] + 3]
  if (from === undefined || to === undefined) return 180
  return Math.abs((Math.atan2(to.x - from.x, from.y - to.y) * 180) / Math.PI)
}

type Vector = readonly [number, number, number]

function pointOf({ xyz }: Hand, index: number): Vector {
  return [xyz[3 * index] ?? 0, xyz[3 * index + 1] ?? 0, xyz[3 * index + 2] ?? 0]
}

function minus(a: Vector, b: Vector): Vector {
  return [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

function length(a: Vector): number {
  return Math.hypot(...a)
}

function angleBetween(a: Vector, b: Vector): number {
  const cosine = (a[0] * b[0] + a[1] * b[1] + a[2] * b[2]) / (length(a) * length(b) || 1)
  return (Math.acos(Math.max(-1, Math.min(1, cosine))) * 180) / Math.PI
}
