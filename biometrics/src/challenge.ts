import { randomInt } from 'node:crypto'
import {
  type Accommodation,
  FLASH_COLORS,
  type FlashColor,
  GESTURES,
  MOVEMENTS,
  type Movement,
  type Step,
} from './contract.ts'

/** Returns a number from 0 to below `limit`, each equally likely and impossible to predict. */
export type Draw = (limit: number) => number

const DIGITS = 6
const FLASH_SLOTS = 12
/** At most three changes a second, because faster flashing can cause seizures. */
const SLOT_MS = 350
const TURNS = ['turn_left', 'turn_right'] as const satisfies readonly Movement[]
const OTHER_MOVEMENTS = MOVEMENTS.filter((movement) => !isTurn(movement))

/** How long a step is recorded. */
const DURATIONS_MS = { neutral: 1500, move: 2500, speak: 5000, gesture: 3000 } as const

export function stepDurationMs(step: Step): number {
  return step.kind === 'flash' ? step.colors.length * step.slot_ms : DURATIONS_MS[step.kind]
}

/**
 * Draws the steps of a capture: neutral, three movements in any order, then flash, speech and gesture in any order.
 * The movements always include both turns, because the depth of a face shows only from both sides.
 */
export function drawSteps(accommodations: readonly Accommodation[], draw: Draw = randomInt): Step[] {
  const other = pick(OTHER_MOVEMENTS, draw)
  const movements = shuffled<Movement>([...TURNS, other], draw)
  const last: Step[] = [
    ...(accommodations.includes('no_flash') ? [] : [drawFlash(draw)]),
    ...(accommodations.includes('no_voice') ? [] : [drawSpeech(draw)]),
    ...(accommodations.includes('no_hand') ? [] : [drawGesture(GESTURES, draw)]),
  ]
  return [
    { kind: 'neutral' },
    ...movements.map((movement) => ({ kind: 'move', movement }) as const),
    ...shuffled(last, draw),
  ]
}

/**
 * Returns the remaining steps if the first of them must be repeated: the same kinds, with a new task. The remaining
 * movements are reordered, so that an answer prepared for this one is useless.
 */
export function redrawFirst(steps: readonly Step[], draw: Draw = randomInt): Step[] {
  const [first, ...rest] = steps
  if (first === undefined) return []
  switch (first.kind) {
    case 'neutral':
      return [...steps]
    case 'flash':
      return [drawFlash(draw), ...rest]
    case 'speak':
      return [drawSpeech(draw), ...rest]
    case 'gesture':
      return [
        drawGesture(
          GESTURES.filter((gesture) => gesture !== first.gesture),
          draw,
        ),
        ...rest,
      ]
    case 'move':
      return redrawMovements(steps, draw)
  }
}

function redrawMovements(steps: readonly Step[], draw: Draw): Step[] {
  const remaining = steps.flatMap((step) => (step.kind === 'move' ? [step.movement] : []))
  const renewed = remaining.map((movement) =>
    isTurn(movement)
      ? movement
      : pick(
          OTHER_MOVEMENTS.filter((one) => one !== movement),
          draw,
        ),
  )
  const queue = shuffled(renewed, draw)
  return steps.map((step) => {
    const movement = step.kind === 'move' ? queue.shift() : undefined
    return movement === undefined ? step : { kind: 'move', movement }
  })
}

function isTurn(movement: Movement): boolean {
  return movement === 'turn_left' || movement === 'turn_right'
}

function drawSpeech(draw: Draw): Step {
  return { kind: 'speak', digits: Array.from({ length: DIGITS }, () => draw(10)).join('') }
}

function drawGesture(gestures: readonly (typeof GESTURES)[number][], draw: Draw): Step {
  return { kind: 'gesture', gesture: pick(gestures, draw) }
}

/** Draws colours whose neighbours differ, so that every slot is a visible change on the face. */
function drawFlash(draw: Draw): Step {
  const colors: FlashColor[] = []
  while (colors.length < FLASH_SLOTS) {
    const before = colors.at(-1)
    colors.push(
      pick(
        FLASH_COLORS.filter((color) => color !== before),
        draw,
      ),
    )
  }
  return { kind: 'flash', colors, slot_ms: SLOT_MS }
}

function pick<T>(list: readonly T[], draw: Draw): T {
  const found = list[draw(list.length)]
  if (found === undefined) throw new RangeError('there is nothing to pick from')
  return found
}

/** Returns the list in random order, each equally likely (Fisher-Yates). */
function shuffled<T>(list: readonly T[], draw: Draw): T[] {
  const rest = [...list]
  return list.map(() => {
    const [one] = rest.splice(draw(rest.length), 1)
    if (one === undefined) throw new RangeError('there is nothing to pick from')
    return one
  })
}
