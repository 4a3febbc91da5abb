import type { CheckReport } from '../check/check-data.ts'
import { ExpectedFailure } from '../expected-failure.ts'
import type { MigrationListener } from '../store/postgres/migrate.ts'
import type { Continuity } from './continuity.ts'
import { foundNoSpace } from './found-no-space.ts'
import type { LaterStops } from './later-stops.ts'
import type { BackupManifest } from './manifest.ts'

/** Where a deployment is restored to. Both must be empty, but a node's directory may hold its master key. */
export type RestoreTarget =
  | { readonly data_dir: string }
  | {
      readonly url: string
      readonly data_dir: string
      /** If undefined, `master.key` in the data directory, created if it is missing. */
      readonly master_key_file: string | undefined
      readonly allow_unsafe: boolean
    }

export interface RestoreProgress {
  readonly step: 'restore' | 'check' | 're-apply'
  readonly done: number
  readonly total: number | undefined
}

export interface RestoreOptions extends MigrationListener {
  readonly from: string
  readonly passphrase: string
  readonly target: RestoreTarget
  /** Where the restored deployment keeps its checkpoint. A checkpoint already in it counts as known. */
  readonly checkpoint_file: string
  /** Checkpoints kept by others: by a witness, or in the checkpoint file of the lost deployment. */
  readonly known_notes: readonly string[]
  /** Whether to restore even though entries of the log are known to be lost. */
  readonly accepts_loss: boolean
  /** The name of a new log, if one begins. If undefined, it is derived from the old name. */
  readonly log_origin: string | undefined
  /** Events of the lost deployment, one per line. Stops among them are re-applied. */
  readonly events_file: string | undefined
  onProgress(progress: RestoreProgress): void
}

export interface RestoreReport {
  readonly manifest: BackupManifest
  readonly continuity: Continuity
  /** The log of the restored deployment. */
  readonly log: { readonly origin: string; readonly vkey: string; readonly size: number }
  readonly reapplied: ReapplyReport | undefined
  /** How many API keys work as they did at the backup, including those that were deleted or rotated since. */
  readonly api_keys: number
  readonly check: CheckReport
  /** The previous checkpoint file, under its new name. */
  readonly kept_checkpoint: string | undefined
  /** The master key file of a database. Every node needs a copy. */
  readonly master_key: string | undefined
}

export interface ReapplyReport {
  readonly applied: number
  /** Stops of things that the backup doesn't hold, because they began later. */
  readonly unknown: number
  readonly by_hand: LaterStops['by_hand']
}

/** The backup can't be restored there, or not without an explicit decision. The message says what to do. */
export class RestoreRefused extends ExpectedFailure {
  override readonly name = 'RestoreRefused'
  /** Whether published entries would be lost, which the operator has to accept. */
  readonly is_loss: boolean

  constructor(message: string, is_loss = false) {
    super(message)
    this.is_loss = is_loss
  }
}

/** Returns the refusal for a disk without space, with what to choose instead. Undefined if the error is another one. */
export function fullDisk(error: unknown, path: string, choice: string): RestoreRefused | undefined {
  if (!foundNoSpace(error)) return undefined
  return new RestoreRefused(
    `The disk of ${path} is full (${error instanceof Error ? error.message : error}). Free space there, or choose ${choice}.`,
  )
}
