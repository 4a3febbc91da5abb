import type { EngineErrorCode, OperatorNet, StepEvidence, UploadedStep } from '../contract.ts'

/** Messages from the service to a judging process. They are structured clones, so bytes stay bytes. */
export type ToProcess =
  | {
      readonly open: { readonly pack_directory: string; readonly operator_nets: readonly OperatorNet[] }
    }
  | { readonly id: number; readonly request: UploadedStep }

/** Messages from a judging process. Failures carry the engine's own texts, never those of a decoder or a net. */
export type FromProcess =
  | { readonly opened: true }
  | { readonly not_opened: string }
  | { readonly id: number; readonly evidence: StepEvidence; readonly memory_bytes: number }
  | { readonly id: number; readonly failure: StepFailure; readonly memory_bytes: number }
  /** The process hit a bug and ends. `bug` names a place in the code. */
  | { readonly id: number; readonly bug: string }

export interface StepFailure {
  readonly code: EngineErrorCode
  readonly message: string
  readonly pointer: string | undefined
}
