/**
 * What the engine is asked and what it answers. Media goes in and evidence comes out: evidence is plain JSON, small, and
 * holds nothing from which a picture or a sound could be made again.
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

/** Hand signs that a step can ask for. */
export const GESTURES = ['thumbs_up', 'victory', 'open_palm', 'fist', 'point_up'] as const
export type Gesture = (typeof GESTURES)[number]

export const FLASH_COLORS = ['red', 'green', 'blue', 'black'] as const
export type FlashColor = (typeof FLASH_COLORS)[number]

/** One task of a capture. A step is revealed only after the one before it was answered. */
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
  /** What the browser says about the camera. A hint only: the caller can write anything. */
  readonly device?: { readonly video_label?: string | undefined } | undefined
}

/** A secret sign of coercion. Every analysis looks for one: a person without one gets a random decoy, so time tells nothing. */
export interface DuressSign {
  readonly word: string
  readonly gesture: Gesture | undefined
}

export interface StepRequest {
  readonly step: Step
  readonly media: StepMedia
  /** Evidence of the steps before this one, in order. Turns are compared with the neutral step. */
  readonly prior: readonly StepEvidence[]
  readonly duress: DuressSign
}

/** Why a step must be repeated. Safe to show: each says how to take a better picture, none says how to deceive. */
export const QUALITY_REASONS = {
  no_face: 'No face is visible. Look into the camera.',
  several_faces: 'More than one face is visible. Make sure that you are alone in the picture.',
  too_dark: 'The picture is too dark. Turn towards a window or a lamp.',
  too_bright: 'The picture is too bright. Turn away from the light.',
  too_far: 'Your face is too small in the picture. Move closer.',
  too_few_frames: 'Too few pictures arrived. Check the connection and try again.',
  no_speech: 'No speech is audible. Check the microphone and speak clearly.',
  too_noisy: 'The room is too loud. Move to a quieter place.',
} as const satisfies Record<string, string>
export type QualityReason = keyof typeof QUALITY_REASONS

/** Evidence of one step. `vision` and `audio` are numbers and short lists; embeddings are base64 of float32. */
export interface StepEvidence {
  readonly step: Step
  /** SHA-256 over all frames and the sound, in hex. */
  readonly media_digest: string
  /** Empty when the step can be used. */
  readonly quality: readonly QualityReason[]
  readonly vision: VisionEvidence
  readonly audio: AudioEvidence | undefined
  /** Whether the sign of coercion was seen or heard. */
  readonly duress: boolean
}

/** Filled in by `vision/`. */
export interface VisionEvidence {
  readonly frames: number
}

/** How dark the inside of the mouth is in one frame of the speak step: the picture that sound is compared with. */
export interface MouthSample {
  /** Milliseconds since the step was shown, the clock of frames and of `Sound.t0_ms`. */
  readonly t_ms: number
  readonly darkness: number
}

/** Log energy between 300 and 3400 Hz, one value for every `step_ms`, from `t0_ms` on. Too coarse to be heard as speech. */
export interface Loudness {
  readonly t0_ms: number
  readonly step_ms: number
  readonly log_energy: readonly number[]
}

/** What was heard when digits were asked for. The asked digits play no part in hearing them. */
export interface HeardDigits {
  /** Empty if no digits were heard. Nothing else that was said is kept. */
  readonly digits: string
  readonly matches: boolean
  /** Mean log-likelihood per token lost by hearing digits instead of anything at all: 0 is certain, strongly negative is not digits. */
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
  /** Of a speak step with usable sound. */
  readonly heard: HeardDigits | undefined
  readonly loudness: Loudness
  /** Voice embeddings by net, base64 of float32, of unit length. Empty without voice nets or with too little speech. */
  readonly voice: Readonly<Partial<Record<VoiceNet, string>>>
}

/** What is kept of an enrolled person. Never media. */
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
  /** Why it failed, in plain words. Empty when it passed. */
  readonly reasons: readonly string[]
  /** For operators and auditors only: a number that a caller sees could be climbed. */
  readonly score: number
  /** The measured values behind the score, for operators and auditors only. */
  readonly measures: Readonly<Record<string, number>>
}

export type Decision = 'pass' | 'retry' | 'fail' | 'review'

export interface Judgement {
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
  /** Whether a passkey with user verification was presented for this very capture. */
  readonly has_passkey: boolean
}

/** The engine is not there. The message says what to do. */
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

/** The pool of judging processes, as the service sees it. */
export interface Engine {
  state(): EngineState
  /** Starts to fetch the pack, once however many callers ask. */
  install(): Promise<void>
  /** Rejects with an `EngineError`: `unavailable`, `busy` (with seconds to wait), `deadline` or `bad_media`. */
  analyseStep(request: StepRequest): Promise<StepEvidence>
  close(): Promise<void>
}
