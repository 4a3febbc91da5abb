import type { EngineErrorCode, OperatorNet, StepEvidence, UploadedStep } from '../contract.ts'

/** What the service sends to a judging process. Structured clones, so bytes stay bytes. */
export type ToProcess =
  | {
      readonly open: { readonly pack_directory: string; readonly operator_nets: readonly OperatorNet[] }
    }
  | { readonly id: number; readonly request: UploadedStep }

/** What a judging process answers. Failures carry texts of our own, never of a decoder or a net. */
export type FromProcess =
  | { readonly opened: true }
  | { readonly not_opened: string }
  | { readonly id: number; readonly evidence: StepEvidence; readonly memory_bytes: number }
  | { readonly id: number; readonly failure: StepFailure; readonly memory_bytes: number }
  /** The process met a bug and ends. Names a place in the code. */
  | { readonly id: number; readonly bug: string }

export interface StepFailure {
  readonly code: EngineErrorCode
  readonly message: string
  readonly pointer: string | undefined
}
