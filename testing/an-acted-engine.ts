import { createHash } from 'node:crypto'
import type {
  Engine,
  FaceSample,
  FlashColor,
  QualityReason,
  Step,
  StepEvidence,
  UploadedStep,
} from '@deputize/biometrics'

/** What a recording shows, written as data in place of pictures. */
export interface Acted {
  /** The number of the face. Different numbers are different people. */
  readonly face: number
  readonly quality?: readonly QualityReason[]
  /** True to sit still instead of doing what a step asks. */
  readonly is_still?: boolean
  readonly is_coerced?: boolean
}

/**
 * An engine for tests of the code around it. People act in data: it reads this from the first frame and answers with
 * the evidence that real nets would find in a person who does this. The judge is the real one. `hold` delays answers.
 */
export interface ActedEngine extends Engine {
  hold(until: Promise<unknown>): void
  /** Makes the next step fail with this error. */
  failNext(error: Error): void
  readonly analysed: number
}

/** With `seen`, recordings come from a camera, and whatever they show counts as a person who acts like this. */
export function anActedEngine(seen?: Acted): ActedEngine {
  let held: Promise<unknown> = Promise.resolve()
  let failure: Error | undefined
  let analysed = 0
  return {
    state: () => ({ state: 'ready', engine_version: 'acted-1' }),
    install: async () => {},
    warm() {},
    async analyseStep({ step, media }) {
      analysed += 1
      await held
      if (failure !== undefined) {
        const error = failure
        failure = undefined
        throw error
      }
      return evidenceOfActing(step, media, seen)
    },
    close: async () => {},
    hold(until) {
      held = until
    },
    failNext(error) {
      failure = error
    },
    get analysed() {
      return analysed
    },
  }
}

/** Frames and sound in which a person acts one step. Every frame is different, like those of a camera. */
export function actedRecording(
  step: { readonly step_id: string; readonly duration_ms: number },
  acted: Acted,
) {
  const count = Math.floor((step.duration_ms * 12) / 1000)
  const frames = Array.from({ length: count }, (_, at) => ({
    t_ms: Math.round((at * 1000) / 12),
    jpeg: Buffer.from(JSON.stringify({ ...acted, step_id: step.step_id, at })).toString('base64'),
  }))
  return { step_id: step.step_id, frames }
}

function evidenceOfActing(
  step: Step,
  { frames, sound }: UploadedStep['media'],
  seen: Acted | undefined,
): StepEvidence {
  const bytes = frames.map(({ jpeg }) => (typeof jpeg === 'string' ? Buffer.from(jpeg, 'base64') : jpeg))
  const acted: Acted = seen ?? JSON.parse(Buffer.from(bytes[0] ?? '').toString())
  const whole = createHash('sha256')
  for (const one of bytes) whole.update(createHash('sha256').update(one).digest())
  if (sound !== undefined) whole.update(createHash('sha256').update(sound.pcm16).digest())
  const times = frames.map(({ t_ms }) => t_ms)
  return {
    step,
    media_digest: whole.digest('hex'),
    quality: acted.quality ?? [],
    vision: {
      frames: frames.length,
      t_ms: times,
      faces: times.map((t_ms, frame) => faceAt(step, t_ms, frame, times.length, acted)),
      searched: 3,
      several_faces: 0,
      reference: step.kind === 'neutral' ? [{ x: 0, y: 0 }] : undefined,
      embeddings: [embeddingOf(acted.face)],
      spots: [embeddingOf(acted.face)],
      moire: [0.4, 0.5],
      fingerprints: bytes.map((one) => createHash('sha256').update(one).digest('hex').slice(0, 16)),
      gestures: step.kind === 'gesture' && acted.is_still !== true ? times.map(() => step.gesture) : [],
      mouth: step.kind === 'speak' ? times.map((t_ms) => ({ t_ms, darkness: syllable(t_ms) })) : [],
      device_hints: [],
    },
    audio: step.kind === 'speak' ? speech(step.digits, acted) : undefined,
    duress: acted.is_coerced === true,
  }
}

const STRAIGHT = {
  yaw: 0,
  pitch: 0,
  roll: 0,
  eye_distance: 0.16,
  mouth: 0.05,
  eyes: 0.3,
  parallax_x: 0,
  parallax_y: 0,
  luma: 130,
  red: 0.3,
  blue: -0.2,
  sharpness: 40,
}

function faceAt(step: Step, t_ms: number, frame: number, count: number, acted: Acted): FaceSample {
  const straight = { ...STRAIGHT, frame }
  if (acted.is_still === true) return straight
  const isBeyond = frame > count / 4 && frame < (count * 7) / 8
  if (step.kind === 'flash') return { ...straight, ...lit(step.colors[Math.floor(t_ms / step.slot_ms)]) }
  if (step.kind !== 'move' || !isBeyond) return straight
  switch (step.movement) {
    case 'turn_left':
      return { ...straight, yaw: 25, parallax_x: 0.16 }
    case 'turn_right':
      return { ...straight, yaw: -25, parallax_x: -0.16 }
    case 'look_up':
      return { ...straight, pitch: 15 }
    case 'look_down':
      return { ...straight, pitch: -15 }
    case 'open_mouth':
      return { ...straight, mouth: 0.6 }
    case 'move_closer':
      return { ...straight, eye_distance: 0.24 }
    case 'blink':
      return { ...straight, eyes: frame === Math.ceil(count / 2) ? 0.05 : 0.3 }
  }
}

/** Skin in the light of the screen. */
function lit(color: FlashColor | undefined): Pick<FaceSample, 'red' | 'blue'> {
  const { red, blue } = STRAIGHT
  if (color === 'red') return { red: red + 0.05, blue }
  if (color === 'green') return { red: red - 0.05, blue: blue - 0.05 }
  return { red, blue: color === 'blue' ? blue + 0.05 : blue }
}

function speech(digits: string, acted: Acted): StepEvidence['audio'] {
  const heard = acted.is_still === true ? '' : digits
  return {
    sound_ms: 5000,
    speech_ms: 3000,
    snr_db: 25,
    clipped: 0,
    heard: { digits: heard, matches: heard === digits, margin: -0.1 },
    loudness: {
      t0_ms: 0,
      step_ms: 20,
      log_energy: Array.from({ length: 250 }, (_, at) => syllable(at * 20)),
    },
    voice: {},
  }
}

/** How open the mouth is: syllables of uneven length, so that no other delay fits as well as zero. */
function syllable(t_ms: number): number {
  return Math.round(1000 * (Math.sin(t_ms / 130) + Math.sin(t_ms / 71 + 1))) / 1000
}

/** A unit vector of 128 numbers that depends only on the face. */
function embeddingOf(face: number): string {
  const bytes = Array.from({ length: 4 }, (_, at) => createHash('sha256').update(`${face} ${at}`).digest())
  const numbers = Float32Array.from(Buffer.concat(bytes), (byte) => byte - 127.5)
  const length = Math.hypot(...numbers)
  return Buffer.from(numbers.map((number) => number / length).buffer).toString('base64')
}
