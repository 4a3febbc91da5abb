import type { FaceSample, Step } from '../contract.ts'

/** In steps without a turn, one frame of each part is looked at. */
const PARTS = 3
/** A turn is judged by its far end. See `checks/turn.ts`. */
const FAR_END = 0.8

/** Returns a number from 0 to below `limit`, each equally likely and impossible to predict. */
type Draw = (limit: number) => number

interface Seen {
  readonly sample: FaceSample
}

/**
 * Draws the faces whose identity is checked, so that whoever sends the frames can't know which these are. In a turn they
 * are among the frames that prove it: those in which the head is turned furthest, and shows the most depth.
 */
export function spotFaces<Face extends Seen>(step: Step, seen: readonly Face[], draw: Draw): Face[] {
  return groupsOf(step, seen).flatMap((group) =>
    group.length === 0 ? [] : (group[draw(group.length)] ?? []),
  )
}

function groupsOf<Face extends Seen>(step: Step, seen: readonly Face[]): (readonly Face[])[] {
  const sign = step.kind === 'move' ? TURN_SIGNS[step.movement] : undefined
  if (sign === undefined) return parts(seen)
  return [
    farEnd(seen, ({ yaw }) => sign * yaw),
    farEnd(
      seen.filter(({ sample }) => sample.parallax_x !== null),
      ({ parallax_x }) => sign * (parallax_x ?? 0),
    ),
  ]
}

/** Which way yaw and parallax grow. */
const TURN_SIGNS: Readonly<Record<string, number>> = { turn_left: 1, turn_right: -1 }

function parts<Face>(seen: readonly Face[]): (readonly Face[])[] {
  const length = Math.ceil(seen.length / PARTS)
  return Array.from({ length: PARTS }, (_, part) => seen.slice(part * length, (part + 1) * length))
}

function farEnd<Face extends Seen>(seen: readonly Face[], measure: (sample: FaceSample) => number): Face[] {
  const sorted = [...seen].sort((a, b) => measure(a.sample) - measure(b.sample))
  return sorted.slice(Math.floor(sorted.length * FAR_END))
}
