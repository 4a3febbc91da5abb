/**
 * The requests and answers of the engine. Media goes in and evidence comes out. Evidence is small, plain JSON from
 * which no picture or sound can be reconstructed.
 */

export const MODALITIES = [
  'face_liveness',
  'deepfake_detection',
  'speech_match',
  'lip_sync',
  'challenge_response',
  'finger_gesture',
  'duress_detection',
] as const
export type Modality = (typeof MODALITIES)[number]

/** Movements that a step can ask for. */
export const MOVEMENTS = [
  'turn_left',
  'turn_right',
  'look_up',
  'look_down',
  'open_mouth',
  'blink',
  'move_closer',
] as const
export type Movement = (typeof MOVEMENTS)[number]

/** Hand signs that a step can ask for. A fist isn't one: from the front, it is too often mistaken for another sign. */
export const GESTURES = ['thumbs_up', 'victory', 'open_palm', 'point_up'] as const
export type Gesture = (typeof GESTURES)[number]

export const FLASH_COLORS = ['red', 'green', 'blue', 'black'] as const
export type FlashColor = (typeof FLASH_COLORS)[number]

/** One task of a capture. A step is revealed only after the previous one was answered. */
export type Step =
  | { readonly kind: 'neutral' }
  | { readonly kind: 'move'; readonly movement: Movement }
  | { readonly kind: 'flash'; readonly colors: readonly FlashColor[]; readonly slot_ms: number }
  | { readonly kind: 'speak'; readonly digits: string }
  | { readonly kind: 'gesture'; readonly gesture: Gesture }

export interface Frame {
  /** Milliseconds since the step was shown. */
  readonly t_ms: number
  readonly jpeg: Uint8Array
}

/** Mono, 16 kHz, 16-bit little-endian. */
export interface Sound {
  readonly t0_ms: number
  readonly pcm16: Uint8Array
}

export interface StepMedia {
  readonly frames: readonly Frame[]
  readonly sound?: Sound | undefined
  /** What the browser reports about the camera. Only a hint, because the caller can write anything. */
  readonly device?: { readonly video_label?: string | undefined } | undefined
}

/** A secret sign of coercion. Every analysis looks for one, or for a random decoy, so that timing reveals nothing. */
export interface DuressSign {
  /** One of `DURESS_WORDS` (`duress-words.ts`), said before or after the digits of the speak step. */
  readonly word: string
  /** True if the person has no word and this one was drawn at random. Hearing it counts for nothing. */
  readonly is_decoy: boolean
  readonly gesture: Gesture | undefined
}

export interface StepRequest {
  readonly step: Step
  readonly media: StepMedia
  /** Evidence of the steps before this one, in order. Turns are compared with the neutral step. */
  readonly prior: readonly StepEvidence[]
  readonly duress: DuressSign
}

/** Why a step must be repeated. Safe to show: each says how to record a better one, none says how to deceive. */
export const QUALITY_REASONS = {
  no_face: 'No face is visible. Look into the camera.',
  several_faces: 'More than one face is visible. Make sure that you are alone in the picture.',
  too_dark: 'The picture is too dark. Turn towards a window or a lamp.',
  too_bright: 'The picture is too bright. Turn away from the light.',
  too_far: 'Your face is too small in the picture. Move closer.',
  too_few_frames: 'Too few pictures arrived. Check the connection and try again.',
  no_speech: 'Too little speech is audible. Check the microphone and speak slowly and clearly.',
  too_noisy: 'The room is too loud. Move to a quieter place.',
} as const satisfies Record<string, string>
export type QualityReason = keyof typeof QUALITY_REASONS

/** The evidence of one step. `vision` and `audio` are numbers and short lists; embeddings are base64 of float32. */
export interface StepEvidence {
  readonly step: Step
  /** SHA-256 over all frames and the sound, in hex. */
  readonly media_digest: string
  /** Empty if the step can be used. */
  readonly quality: readonly QualityReason[]
  readonly vision: VisionEvidence
  readonly audio: AudioEvidence | undefined
  /** Whether the sign of coercion was seen or heard. */
  readonly duress: boolean
  /** Absent if the operator declared no nets. */
  readonly operator_nets?: readonly OperatorNetScores[]
}

/** Signs that the camera is a program. Only a hint. */
export const DEVICE_HINTS = ['virtual_camera', 'file_as_camera'] as const
export type DeviceHint = (typeof DEVICE_HINTS)[number]

/** One frame with a face. */
export interface FaceSample {
  /** Index of the frame in the step. */
  readonly frame: number
  /** Degrees; grows as the person turns to their own left. */
  readonly yaw: number
  /** Degrees; grows as the person looks up. */
  readonly pitch: number
  /** Degrees; grows as the head tilts clockwise in the picture. */
  readonly roll: number
  /** Distance between the eye centres, as a share of the picture's width. */
  readonly eye_distance: number
  /** Distance between the inner lips, in eye distances. */
  readonly mouth: number
  /** Distance between the lids, as a share of the eye's width. */
  readonly eyes: number
  /** How far the nose moved beyond a plane since the neutral step, in eye distances; null before that step. */
  readonly parallax_x: number | null
  readonly parallax_y: number | null
  /** Brightness of forehead and cheeks, 0 to 255, and their colour as ln(red/green) and ln(blue/green). */
  readonly luma: number
  readonly red: number
  readonly blue: number
  readonly sharpness: number
}

/** What an operator's own net judges. */
export const OPERATOR_NET_PURPOSES = ['deepfake', 'presentation_attack', 'voice'] as const

/** A net that the operator declared, with its bytes. */
export interface OperatorNet {
  readonly name: string
  readonly purpose: (typeof OPERATOR_NET_PURPOSES)[number]
  /** `observe` only records the score. */
  readonly role: 'observe' | 'gate'
  /** The least score of a genuine capture, 0 to 1. */
  readonly threshold: number
  readonly input: OperatorNetInput
  readonly output: {
    readonly name: string
    readonly index: number
    readonly activation: 'none' | 'sigmoid' | 'softmax'
    /** What a high value means. */
    readonly means: 'genuine' | 'attack'
  }
  readonly model: Uint8Array
}

/** A square around the face, `(value / 255 - mean) / std`, or sound of a fixed length from -1 to 1. */
export type OperatorNetInput =
  | {
      readonly name: string
      readonly size: number
      readonly layout: 'nchw' | 'nhwc'
      readonly channels: 'rgb' | 'bgr'
      readonly mean: readonly number[]
      readonly std: readonly number[]
      /** Side of the square, as a multiple of the face. */
      readonly face_scale: number
    }
  | { readonly name: string; readonly samples: number }

/** The scores of one step by an operator's own net. Higher is more genuine. */
export interface OperatorNetScores {
  readonly name: string
  readonly role: OperatorNet['role']
  readonly threshold: number
  readonly scores: readonly number[]
}

/** Filled in by `vision/`. */
export interface VisionEvidence {
  readonly frames: number
  /** One for each frame. */
  readonly t_ms: readonly number[]
  /** One for each frame with a face, in order. */
  readonly faces: readonly FaceSample[]
  /** The number of frames in which all faces were counted, and of those with more than one face. */
  readonly searched: number
  readonly several_faces: number
  /** The shape of the face looking straight ahead, for parallax. Set only for the neutral step. */
  readonly reference: readonly { readonly x: number; readonly y: number }[] | undefined
  /** Embeddings of a few frames, base64 of float32, of unit length. */
  readonly embeddings: readonly string[]
  /**
   * The same for frames that are drawn at random, so that no one can put the right face into just those that are
   * looked at. Absent in evidence of an earlier version.
   */
  readonly spots?: readonly string[]
  /** Spectral peaks of a few frames, as natural logarithms. */
  readonly moire: readonly number[]
  /** One for each frame; equal for frames with the same picture. */
  readonly fingerprints: readonly string[]
  /** One for each frame of the gesture step; null if no sign was clear. */
  readonly gestures: readonly (Gesture | null)[]
  /** For the speak step. */
  readonly mouth: readonly MouthSample[]
  readonly device_hints: readonly DeviceHint[]
}

/** How dark the inside of the mouth is in one frame of the speak step, to be compared with the sound. */
export interface MouthSample {
  /** Milliseconds since the step was shown, as for frames and `Sound.t0_ms`. */
  readonly t_ms: number
  readonly darkness: number
}

/**
 * Log energy between 300 and 3400 Hz, one value per `step_ms`, starting at `t0_ms`. Too coarse to be heard as speech.
 */
export interface Loudness {
  readonly t0_ms: number
  readonly step_ms: number
  readonly log_energy: readonly number[]
}

/** What was heard when digits were requested. The requested digits play no part in hearing them. */
export interface HeardDigits {
  /** Empty if no digits were heard. Nothing else that was said is kept. */
  readonly digits: string
  readonly matches: boolean
  /** Log-likelihood lost per token by hearing digits instead of any text. 0 is certain, very negative is not digits. */
  readonly margin: number
}

/** Nets that describe a voice. Each is absent if the engine pack was installed without Python. */
export const VOICE_NETS = ['ecapa', 'ge2e'] as const
export type VoiceNet = (typeof VOICE_NETS)[number]

/** Filled in by `audio/`. */
export interface AudioEvidence {
  readonly sound_ms: number
  readonly speech_ms: number
  /** Level of speech over the level between words, in decibels. */
  readonly snr_db: number
  /** Share of samples at full scale, 0 to 1. */
  readonly clipped: number
  /** Set for a speak step with usable sound. */
  readonly heard: HeardDigits | undefined
  readonly loudness: Loudness
  /** Voice embeddings by net, base64 of float32, of unit length. Empty without voice nets or for a sound that can't be used. */
  readonly voice: Readonly<Partial<Record<VoiceNet, string>>>
}

/** The data stored about an enrolled person. Never media. */
export interface Template {
  readonly version: 1
  readonly engine_version: string
  /** Mean face embedding, base64 of float32. */
  readonly face: string
  /** Mean voice embedding by net, if the voice nets were available. */
  readonly voice: Readonly<Record<string, string>>
}

/** A person cannot do a step. A passkey replaces it; it is never dropped. */
export const ACCOMMODATIONS = ['no_voice', 'no_hand', 'no_flash'] as const
export type Accommodation = (typeof ACCOMMODATIONS)[number]

export interface ModalityResult {
  readonly name: Modality
  readonly passed: boolean
  /** How it was judged, for example `parallax` or `passkey`. */
  readonly method: string
  /** Why it failed, in plain words. Empty if it passed. */
  readonly reasons: readonly string[]
  /** For operators and auditors only: callers who see a number could climb it. */
  readonly score: number
  /** The measured values behind the score, for operators and auditors only. */
  readonly measures: Readonly<Record<string, number>>
}

export type Decision = 'pass' | 'retry' | 'fail' | 'review'

export interface CaptureJudgement {
  readonly decision: Decision
  readonly modalities: readonly ModalityResult[]
  /** The soft score, 0 to 1. For operators and auditors only. */
  readonly score: number
  readonly duress: boolean
}

export interface JudgeRequest {
  readonly steps: readonly StepEvidence[]
  /** The template to compare with; undefined at enrolment. */
  readonly template: Template | undefined
  readonly accommodations: readonly Accommodation[]
  /** Whether a passkey with user verification was presented for exactly this capture. */
  readonly has_passkey: boolean
}

/** The state of the engine and its pack. `reason` says what to do. */
export type EngineState =
  | { readonly state: 'ready'; readonly engine_version: string }
  | { readonly state: 'absent' | 'off' }
  | {
      readonly state: 'installing'
      readonly done_bytes: number
      readonly total_bytes: number
      readonly doing: string
    }
  | { readonly state: 'failed'; readonly reason: string }

/** The limits of one step and one capture. Beyond them, a step is refused as `bad_media` before anything is decoded. */
export const MEDIA_LIMITS = {
  frames_per_step: 80,
  frames_per_capture: 400,
  bytes_per_frame: 262_144,
  bytes_per_step: 6_291_456,
  sound_ms_per_step: 12_000,
} as const

/** Media as it arrives: bytes, or base64 that only the judging process decodes. */
export interface UploadedMedia {
  readonly frames: readonly { readonly t_ms: number; readonly jpeg: Uint8Array | string }[]
  readonly sound?: { readonly t0_ms: number; readonly pcm16: Uint8Array | string } | undefined
  readonly device?: StepMedia['device']
}

export interface UploadedStep extends Omit<StepRequest, 'media'> {
  readonly media: UploadedMedia
}

/**
 * - `unavailable`: the pack is absent, or its processes keep failing. It may work later, or never.
 * - `busy`: the queue is full. Ask again after `retry_after_s`.
 * - `deadline`: the step was not judged in time.
 * - `crashed`: the process ended twice while it judged this step.
 * - `bad_media`: the media cannot be read; `pointer` names the member, relative to the media.
 */
export const ENGINE_ERRORS = ['unavailable', 'busy', 'deadline', 'crashed', 'bad_media'] as const
export type EngineErrorCode = (typeof ENGINE_ERRORS)[number]

/** Says why the engine did not judge. The message is safe to show and contains nothing from the media. */
export class EngineError extends Error {
  override readonly name = 'EngineError'
  readonly code: EngineErrorCode
  /** Seconds after which to ask again. */
  readonly retry_after_s: number | undefined
  /** JSON pointer into the media, for example `/frames/3/jpeg`. */
  readonly pointer: string | undefined

  constructor(
    code: EngineErrorCode,
    message: string,
    more: { readonly retry_after_s?: number | undefined; readonly pointer?: string | undefined } = {},
  ) {
    super(message)
    this.code = code
    this.retry_after_s = more.retry_after_s
    this.pointer = more.pointer
  }
}

/** Where the pool finds nets and runtime. `pack/` implements it. */
export interface PackSource {
  state(): EngineState
  /** Starts fetching the pack, only once however many callers ask. */
  install(): Promise<void>
  /** The directory of the checked pack; undefined unless the state is `ready`. */
  directory(): string | undefined
}

/** An event in the pool, for metrics. It contains nothing about a person. */
export type EngineEvent =
  | { readonly kind: 'queue'; readonly waiting: number; readonly running: number }
  | {
      readonly kind: 'step'
      readonly step: Step['kind']
      readonly outcome: 'analysed' | EngineErrorCode
      readonly duration_ms: number
    }
  | {
      readonly kind: 'process'
      readonly change: 'started' | 'crashed' | 'overdue' | 'grown' | 'idle' | 'failed_to_start'
      readonly pid: number | undefined
      /** For the log: a place in the code, or how the process ended. Contains nothing from the media. */
      readonly detail: string
    }

/** The pool of judging processes, as the service sees it. */
export interface Engine {
  state(): EngineState
  /** Starts fetching the pack, only once however many callers ask. */
  install(): Promise<void>
  /** Starts a process if none runs, so that the first step finds one. Does nothing without the pack. */
  warm(): void
  /**
   * Rejects with an `EngineError`. `caller` is the party that shares the queue: one caller can't fill it. When the work
   * starts and ends doesn't depend on the sign of coercion.
   */
  analyseStep(request: UploadedStep, caller: string): Promise<StepEvidence>
  /** Ends all processes. Waiting and running steps are rejected as `unavailable`. */
  close(): Promise<void>
}
