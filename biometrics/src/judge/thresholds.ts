/**
 * The hard gates. All numbers come from small data sets and simulations, which docs/guides/verification-limits.md
 * lists. After changing one, measure again with `deputy bio-eval`.
 */
export const GATES = {
  /** Share of frames, in every step. */
  single_face_share: 0.9,
  second_face_frames: 2,
  /** A flat photo turned by 45 degrees reaches 8, a simulated print of a puppet 12. */
  turn_yaw_deg: 15,
  /**
   * In eye distances. A real head reaches 0.10 at 15 degrees, a flat photo 0.046 on three of four. A simulated print of
   * a puppet reached 0.18, but failed the turn.
   */
  turn_parallax: 0.06,
  /** No reflection gives at most 0.33 in simulations, a tint of 2 % at least 0.75. */
  flash_r: 0.55,
  /** Faces reach 1.35 (138 frames), simulated screens and prints begin at 2.35 (82 frames). */
  moire: 1.8,
  duplicate_frames: 2,
  identity_stability: 0.6,
  /**
   * All frames of six puppets had at least 0.65, with the head turned by up to 27 degrees from the neutral step; two
   * puppets had at most 0.32.
   */
  spot_identity: 0.4,
  /** No false match in 48,049 pairs of mostly generated faces. */
  face_match: 0.6,
  gesture_frames: 3,
  /** Requested in one capture, including both turns. */
  movements: 3,
  /** Below this, with enough speech, mouth and sound are unrelated. */
  lip_sync_r: 0.1,
  lip_sync_speech_ms: 2_000,
} as const

/**
 * Below this, the voice may be a different one, and a person must decide. With synthetic voices, 0.3 % of 1,512
 * same-voice pairs are below and 2.4 % of 7,488 two-speaker pairs are above. At 0.45 both are near 1 %, but people vary
 * more than a synthesiser.
 */
export const VOICE_REVIEW = 0.4

/**
 * Below this, the sound fits the mouth about as well at another time, and a person must decide. Puppets in sync reach
 * at least 0.38 in files, and 0.10 in browser recordings. Sound that is 400 to 1100 ms late, or over a closed mouth,
 * had at most -0.17 in ten phrases, and 0.01 in another.
 */
export const LIP_SYNC_MARGIN = 0.05

export const SOFT_PASS = 0.5
export const SOFT_REVIEW = 0.3

/** A factor of the soft score contributes `weight * (x - threshold) / spread`, limited to `TERM_MAX` spreads. */
export interface SoftFactor {
  readonly weight: number
  readonly threshold: number
  readonly spread: number
}

/** The weights are placeholders until there is data from real people. */
export const SOFT_FACTORS = {
  /** Reviewed below 0.40, accepted from 0.50. */
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
