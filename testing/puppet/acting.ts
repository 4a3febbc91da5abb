import type { FlashColor, Step } from '@deputize/biometrics'
import { AT_REST, type HeadPose } from './head-pose.ts'
import { drift, type Random } from './random.ts'
import type { Light } from './render.ts'

/** What a person does while a step is shown. */
export interface Act {
  readonly duration_ms: number
  readonly pose: (t_ms: number) => HeadPose
  readonly light: (t_ms: number) => Light
}

/** People don't react at once. */
const REACTION_MS = 350

export interface Acting {
  readonly random: Random
  /** How open the mouth is while speaking. */
  readonly mouth?: ((t_ms: number) => number) | undefined
  readonly speech_ms?: number | undefined
  /** How much of the screen's light falls on the face: 0.03 is a dim room. */
  readonly tint: number
}

export function act(step: Step, { random, mouth, speech_ms, tint }: Acting): Act {
  const still = naturalMotion(random)
  const target = targetOf(step, random)
  return {
    duration_ms: durationOf(step, speech_ms),
    pose: (t_ms) => {
      const moved = mixed(still(t_ms), target(t_ms))
      return mouth === undefined ? moved : { ...moved, mouth: mouth(t_ms) }
    },
    light: step.kind === 'flash' ? flashLight(step.colors, step.slot_ms, tint) : () => [0, 0, 0],
  }
}

function durationOf(step: Step, speech_ms = 0): number {
  if (step.kind === 'neutral') return 1500
  if (step.kind === 'flash') return step.colors.length * step.slot_ms
  return step.kind === 'speak' ? speech_ms : 2000
}

/** A head is never quite still, and eyes blink by themselves. */
function naturalMotion(random: Random): (t_ms: number) => HeadPose {
  const [yaw, pitch, roll, dx, dy, size] = Array.from({ length: 6 }, () => drift(random))
  return (t_ms) => ({
    ...AT_REST,
    yaw: 1.2 * (yaw?.(t_ms) ?? 0),
    pitch: 0.9 * (pitch?.(t_ms) ?? 0),
    roll: 0.8 * (roll?.(t_ms) ?? 0),
    dx: 2.5 * (dx?.(t_ms) ?? 0),
    dy: 2 * (dy?.(t_ms) ?? 0),
    size: 1 + 0.006 * (size?.(t_ms) ?? 0),
  })
}

type Change = Partial<HeadPose>

function targetOf(step: Step, random: Random): (t_ms: number) => Change {
  if (step.kind !== 'move') return () => ({})
  if (step.movement === 'blink') return blinking(random)
  const full = fullMovement(step.movement, 0.9 + 0.2 * random())
  return (t_ms) => scaledChange(full, eased((t_ms - REACTION_MS) / 600))
}

function fullMovement(movement: string, much: number): Change {
  if (movement === 'turn_left') return { yaw: 34 * much }
  if (movement === 'turn_right') return { yaw: -34 * much }
  if (movement === 'look_up') return { pitch: 22 * much }
  if (movement === 'look_down') return { pitch: -22 * much }
  // Wider than in speech: people who are asked open their mouths by half the distance between the eyes.
  if (movement === 'open_mouth') return { mouth: 1.1 * much }
  return { size: 1.28 * much ** 0.2 }
}

/** Two slow blinks, as people do when asked. */
function blinking(random: Random): (t_ms: number) => Change {
  const starts = [REACTION_MS + 150 * random(), 1150 + 150 * random()]
  return (t_ms) => ({
    blink: Math.max(
      ...starts.map((start) => eased((t_ms - start) / 110) - eased((t_ms - start - 360) / 130)),
    ),
  })
}

function scaledChange({ yaw = 0, pitch = 0, mouth = 0, size = 1 }: Change, part: number): Change {
  return { yaw: yaw * part, pitch: pitch * part, mouth: mouth * part, size: 1 + (size - 1) * part }
}

function mixed(base: HeadPose, change: Change): HeadPose {
  return {
    ...base,
    yaw: base.yaw + (change.yaw ?? 0),
    pitch: base.pitch + (change.pitch ?? 0),
    mouth: Math.max(base.mouth, change.mouth ?? 0),
    blink: Math.max(base.blink, change.blink ?? 0),
    size: base.size * (change.size ?? 1),
  }
}

/** From 0 to 1, slow at both ends. */
export function eased(part: number): number {
  const x = Math.min(1, Math.max(0, part))
  return x * x * (3 - 2 * x)
}

const COLORS: Readonly<Record<FlashColor, Light>> = {
  red: [1, 0, 0],
  green: [0, 1, 0],
  blue: [0, 0, 1],
  black: [0, 0, 0],
}
/** The delay from the screen to the camera's picture. */
const CAMERA_DELAY_MS = 45

export function flashLight(
  colors: readonly FlashColor[],
  slot_ms: number,
  tint: number,
): (t_ms: number) => Light {
  return (t_ms) => {
    const slot = Math.floor((t_ms - CAMERA_DELAY_MS) / slot_ms)
    const [red, green, blue] = COLORS[colors[slot] ?? 'black']
    return [red * tint, green * tint, blue * tint]
  }
}
