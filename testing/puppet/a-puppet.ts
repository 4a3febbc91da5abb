import {
  FLASH_COLORS,
  type FlashColor,
  GESTURES,
  type Gesture,
  type Movement,
  type Step,
  type StepMedia,
} from '@deputize/biometrics'
import { act, eased } from './acting.ts'
import type { Bitmap } from './bitmap.ts'
import { darkened, onScreen, printed, seenSheet, sensorNoise, wavedPose } from './camera.ts'
import type { Figure } from './figure.ts'
import { WIDTH } from './figure.ts'
import { holdUp, type PuppetHand } from './hands.ts'
import { AT_REST, type HeadPose } from './head-pose.ts'
import { writeJpeg } from './jpeg.ts'
import { type Random, seeded } from './random.ts'
import { render } from './render.ts'
import { figureOfAvatar, fliteProgram, handOf } from './supplies.ts'
import {
  loudnessAt,
  PUPPET_SAMPLE_RATE,
  pcm16,
  recorded,
  type Samples,
  speak,
  spokenDigits,
  VOICES,
  type VoiceName,
} from './voice.ts'

/** Attacks and mishaps that a puppet can act instead of acting honestly. */
export const DECEITS = [
  'photo',
  'bent_photo',
  'screen_replay',
  'loop',
  'no_tint',
  'wrong_digits',
  'other_voice',
  'dubbed',
  'closed_mouth',
  'second_face',
  'too_dark',
  'silent',
  'duress_word',
  'duress_gesture',
] as const
export type Deceit = (typeof DECEITS)[number]

export interface Performance {
  readonly deceit?: Deceit | undefined
  /** The word or gesture of `duress_word` and `duress_gesture`. */
  readonly word?: string | undefined
  readonly gesture?: Gesture | undefined
  /** How late the sound of `dubbed` is. */
  readonly shift_ms?: number | undefined
  /** How much of the screen's light reaches the face, or the sheet of an attack. */
  readonly tint?: number | undefined
}

export interface Puppet {
  /** Does what a step asks, as a browser would record it. A puppet does the same thing differently each time. */
  perform(step: Step, how?: Performance): Promise<StepMedia>
}

export interface PuppetOptions {
  /** Which of the 263 faces of nonexistent people, 0 to 262. */
  readonly avatar: number
  readonly voice?: VoiceName
  readonly seed?: number
  /** Pictures a second. Every check needs at least 8. */
  readonly fps?: number
}

const FPS = 12
const QUALITY = 85

/** A person who does not exist. Two puppets with the same options do the same, byte for byte. */
export async function aPuppet({
  avatar,
  voice = 'anna',
  seed = 0,
  fps = FPS,
}: PuppetOptions): Promise<Puppet> {
  const figure = await figureOfAvatar(avatar)
  let performances = 0
  return {
    perform: async (step, how = {}) => {
      const random = seeded(`${avatar} ${voice} ${seed} ${performances++} ${JSON.stringify(step)}`)
      return filmed({ figure, avatar, voice, fps, random, step, how })
    },
  }
}

interface Scene {
  readonly figure: Figure
  readonly avatar: number
  readonly voice: VoiceName
  readonly fps: number
  readonly random: Random
  readonly step: Step
  readonly how: Performance
}

/** The step that is actually shown, which an attacker who replays a recording can't choose. */
function shownStep({ step, how }: Scene): Step {
  if (how.deceit === 'screen_replay') return anotherStep(step)
  return step
}

async function filmed(scene: Scene): Promise<StepMedia> {
  const { random, how, fps } = scene
  const shown = shownStep(scene)
  const speech = shown.kind === 'speak' ? await saying(scene, shown.digits) : undefined
  const sound = speech && recorded(speech, LEAD_MS + shiftOf(how), 400, random)
  const acted = act(shown, {
    random,
    tint: tintOf(how),
    speech_ms: sound && (sound.length * 1000) / PUPPET_SAMPLE_RATE - shiftOf(how),
    mouth: speech && ((t_ms) => mouthAt(speech, t_ms, how)),
  })
  const film = await filmOf(scene, shown)
  const count = Math.round((acted.duration_ms * fps) / 1000)
  const frames: { readonly t_ms: number; readonly jpeg: Uint8Array }[] = []
  for (let i = 0; i < count; i++) {
    const t_ms = Math.max(0, Math.round((i * 1000) / fps + (random() - 0.5) * 8))
    const known = how.deceit === 'loop' ? frames[i % LOOP_FRAMES]?.jpeg : undefined
    const jpeg = known ?? writeJpeg(film(acted.pose(t_ms), acted.light(t_ms), t_ms), QUALITY)
    frames.push({ t_ms, jpeg })
  }
  return {
    frames,
    ...(sound && {
      sound: { t0_ms: 0, pcm16: pcm16(how.deceit === 'silent' ? hiss(sound, random) : sound) },
    }),
    device: { video_label: 'Integrated Camera' },
  }
}

/** Number of pictures that `loop` repeats. */
const LOOP_FRAMES = 6

/** Silence before a person begins to speak. */
const LEAD_MS = 450

const shiftOf = ({ deceit, shift_ms = 700 }: Performance) => (deceit === 'dubbed' ? shift_ms : 0)

const TINTLESS: readonly (Deceit | undefined)[] = ['photo', 'bent_photo', 'screen_replay', 'no_tint']
const tintOf = ({ deceit, tint }: Performance) => tint ?? (TINTLESS.includes(deceit) ? 0 : 0.03)

function mouthAt(speech: Samples, t_ms: number, { deceit }: Performance): number {
  return deceit === 'closed_mouth' ? 0 : 0.55 * loudnessAt(speech, t_ms - LEAD_MS)
}

async function saying({ voice, how }: Scene, digits: string): Promise<Samples> {
  const said = how.deceit === 'wrong_digits' ? otherDigits(digits) : digits
  const word = how.deceit === 'duress_word' ? `, ${how.word ?? ''}` : ''
  const speaker = how.deceit === 'other_voice' ? otherVoice(voice) : voice
  return speak(await fliteProgram(), speaker, `${spokenDigits(said)}${word}.`)
}

function otherVoice(voice: VoiceName): VoiceName {
  return VOICES[voice].speaker === 'rms' ? 'anna' : 'robert'
}

const otherDigits = (digits: string) => [...digits].map((digit) => (Number(digit) + 3) % 10).join('')

function hiss(sound: Samples, random: Random): Samples {
  return recorded(new Float32Array(0), 0, (sound.length * 1000) / PUPPET_SAMPLE_RATE, random)
}

/** A different step, which an older recording answers. */
function anotherStep(step: Step): Step {
  if (step.kind === 'move') return { kind: 'move', movement: OTHER_MOVEMENT[step.movement] }
  if (step.kind === 'speak') return { kind: 'speak', digits: otherDigits(step.digits) }
  if (step.kind === 'gesture')
    return {
      kind: 'gesture',
      gesture: GESTURES[(GESTURES.indexOf(step.gesture) + 1) % GESTURES.length] ?? 'victory',
    }
  return step.kind === 'flash' ? { ...step, colors: step.colors.map(nextColor) } : step
}

const nextColor = (color: FlashColor): FlashColor =>
  FLASH_COLORS[(FLASH_COLORS.indexOf(color) + 1) % FLASH_COLORS.length] ?? 'red'

const OTHER_MOVEMENT: Readonly<Record<Movement, Movement>> = {
  turn_left: 'turn_right',
  turn_right: 'turn_left',
  look_up: 'look_down',
  look_down: 'look_up',
  open_mouth: 'blink',
  blink: 'open_mouth',
  move_closer: 'look_up',
}

/** Gives the picture that the camera sees at a time. */
type Film = (pose: HeadPose, light: readonly [number, number, number], t_ms: number) => Bitmap

async function filmOf(scene: Scene, shown: Step): Promise<Film> {
  const { how, random } = scene
  const noise = sensorNoise(random, 1.8)
  const view = await viewOf(scene)
  const hand = await heldHand(shown, how)
  return (pose, light, t_ms) => {
    const picture = view(pose, light, t_ms)
    if (hand !== undefined) showHand(picture, hand, t_ms, pose)
    if (how.deceit === 'too_dark') darkened(picture, 0.09)
    noise(picture)
    return picture
  }
}

async function viewOf({ figure, avatar, how, random }: Scene): Promise<Film> {
  if (how.deceit === 'photo' || how.deceit === 'bent_photo') {
    const print = printed(render(figure, AT_REST))
    const bent = how.deceit === 'photo' ? 0 : 1.1
    return (pose, light) =>
      lit(seenSheet(print, { pose: wavedPose(pose, random()), bent, border: [96, 88, 80] }), light)
  }
  if (how.deceit === 'screen_replay')
    return (pose, light, t_ms) =>
      seenSheet(onScreen(render(figure, pose, light), t_ms / 300), {
        pose: { ...AT_REST, dx: pose.dx, dy: pose.dy, size: 1.08 },
        bent: 0,
        border: [18, 18, 20],
      })
  if (how.deceit === 'second_face') {
    const other = await figureOfAvatar((avatar + 1) % 263)
    return (pose, light) => besideEachOther(render(figure, pose, light), render(other, { ...pose, yaw: 0 }))
  }
  return (pose, light) => render(figure, pose, light)
}

function lit(picture: Bitmap, light: readonly [number, number, number]): Bitmap {
  if (light.every((part) => part === 0)) return picture
  for (let i = 0; i < picture.rgb.length; i++)
    picture.rgb[i] = (picture.rgb[i] ?? 0) * (1 + (light[i % 3] ?? 0))
  return picture
}

/** Adds a person who looks over the shoulder: at half the size, at the edge of the frame. */
function besideEachOther(picture: Bitmap, other: Bitmap): Bitmap {
  const width = 200
  for (let y = 0; y < 240; y++)
    for (let x = 0; x < width; x++) {
      const from = (y * 2 * WIDTH + 120 + x * 2) * 3
      const at = ((y + 20) * WIDTH + x) * 3
      for (let c = 0; c < 3; c++) picture.rgb[at + c] = other.rgb[from + c] ?? 0
    }
  return picture
}

async function heldHand(shown: Step, how: Performance): Promise<PuppetHand | undefined> {
  const gesture =
    how.deceit === 'duress_gesture' ? how.gesture : shown.kind === 'gesture' ? shown.gesture : undefined
  return gesture && handOf(gesture)
}

const HAND_HEIGHT = 290

/** Raises the hand next to the face and keeps it there, never quite still. */
function showHand(picture: Bitmap, hand: PuppetHand, t_ms: number, { dx, dy }: HeadPose): void {
  const scale = HAND_HEIGHT / hand.picture.height
  const up = eased((t_ms - 200) / 450)
  holdUp(picture, hand, {
    left: WIDTH - hand.picture.width * scale + 10 + dx * 1.5,
    top: 480 - HAND_HEIGHT * up + dy * 1.5,
    scale,
  })
}
