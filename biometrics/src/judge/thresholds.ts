/**
 * The hard gates. All numbers are of small sets and simulations; docs/guides/verification-limits.md says which. Whoever
 * changes one measures again with `deputy bio-eval`.
 */
export const GATES = {
  /** Of the frames of every step. */
  single_face_share: 0.9,
  second_face_frames: 2,
  /** A flat photo turned by 45 degrees reaches 8, a simulated print of a puppet 12. */
  turn_yaw_deg: 15,
  /**
   * In distances between the eyes. A real head reaches 0.10 at 15 degrees, a flat photo 0.046 on three of four. A simulated
   * print of a puppet reached 0.18: the turn stopped it.
   */
  turn_parallax: 0.06,
  /** No reflection gives at most 0.33 in simulations, a tint of 2 % at least 0.75. */
  flash_r: 0.55,
  /** Faces reach 1.35 (138 frames), simulated screens and prints begin at 2.35 (82 frames). */
  moire: 1.8,
  duplicate_frames: 2,
  identity_stability: 0.6,
  /** No false match in 48,049 pairs, of mostly generated faces. */
  face_match: 0.6,
  gesture_frames: 3,
  /** Asked for in one capture, both turns among them. */
  movements: 3,
  /** Below, with enough speech, mouth and sound have nothing to do with each other. */
  lip_sync_r: 0.1,
  lip_sync_speech_ms: 2_000,
} as const

/**
 * Below, the voice may be another one, and a person must decide. Of synthetic voices, 0.3 % of 1,512 pairs of one voice lie
 * below and 2.4 % of 7,488 pairs of two speakers above. At 0.45 both are near 1 %, but people vary more than a synthesiser.
 */
export const VOICE_REVIEW = 0.4

/**
 * Below, the sound fits the mouth about as well at another time, and a person must decide. Puppets in sync reach 0.38 and
 * more in files, and 0.10 in the recordings of a browser. Sound that is 400 to 1100 ms late, or over a closed mouth, had at
 * most -0.17 in ten phrases, and 0.01 in another.
 */
export const LIP_SYNC_MARGIN = 0.05

export const SOFT_PASS = 0.5
export const SOFT_REVIEW = 0.3

/** One factor of the soft score counts `weight * (x - threshold) / spread`, at most `TERM_MAX` spreads. */
export interface SoftFactor {
  readonly weight: number
  readonly threshold: number
  readonly spread: number
}

/** The weights are placeholders until there are data of real people. */
export const SOFT_FACTORS = {
  /** Review below 0.40, accepted from 0.50. */
  voice: { weight: 0.4, threshold: 0.45, spread: 0.125 },
  /** Accepted from 0.35, hopeless below 0.1. */
  lip_sync: { weight: 0.3, threshold: 0.225, spread: 0.125 },
  flash: { weight: 0.15, threshold: 0.55, spread: 0.2 },
  liveness_net: { weight: 0.1, threshold: 0.5, spread: 0.25 },
  /** 1 unless the browser names a virtual camera. */
  device: { weight: 0.05, threshold: 0.5, spread: 0.5 },
} as const satisfies Record<string, SoftFactor>
export type SoftFactorName = keyof typeof SOFT_FACTORS

export const TERM_MAX = 3
