import type { Movement, QualityReason, Step } from '../contract.ts'

/** What a capture shows, as numbers. A member is undefined if nothing was measured, which never counts as passed. */
export interface CaptureFacts {
  /** Kinds of the steps that were taken. */
  readonly steps: readonly Step['kind'][]
  /** Why steps should be repeated. */
  readonly quality: readonly QualityReason[]
  /** Share of frames with exactly one face, in the worst step. */
  readonly single_face_share: number | undefined
  /** Frames in which a second face was seen. */
  readonly second_face_frames: number
  readonly movements: readonly { readonly movement: Movement; readonly done: boolean }[]
  readonly left: TurnFacts | undefined
  readonly right: TurnFacts | undefined
  readonly flash_r: number | undefined
  readonly moire: number | undefined
  readonly duplicate_frames: number
  /** Lowest cosine between one of the clearest frames of the capture and the neutral step. */
  readonly identity_stability: number | undefined
  /** The same for frames that were drawn at random, in which the head may be turned. */
  readonly spot_identity: number | undefined
  readonly is_virtual_camera: boolean
  readonly has_right_digits: boolean | undefined
  readonly gesture_frames: number | undefined
  /** Cosine with the face of the template. */
  readonly face_match: number | undefined
  /** Cosine with the voice of the template, over the nets that both have. */
  readonly voice_match: number | undefined
  readonly lip_sync: LipSyncFacts | undefined
  /** Score of the net for presentation attacks, 1 for a live face, if the pack has it. */
  readonly liveness_net: number | undefined
  /** Nets that the operator declared. Only those with the role `gate` decide. */
  readonly operator_nets: readonly OperatorNetFacts[]
}

export interface OperatorNetFacts {
  readonly name: string
  readonly role: 'observe' | 'gate'
  readonly threshold: number
  /** Higher is more genuine. Undefined if the net gave no answer. */
  readonly score: number | undefined
}

export interface TurnFacts {
  /** In the requested direction, relative to the neutral step. */
  readonly yaw_deg: number
  /** How far the nose leaves the plane of the face, in eye distances. */
  readonly parallax: number
}

export interface LipSyncFacts {
  /** Correlation of mouth and sound near lag zero. */
  readonly r: number
  /** How much higher that is than at other lags. */
  readonly margin: number
  readonly speech_ms: number
}
