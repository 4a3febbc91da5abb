import type { AuthorityError, Claims, Rating } from '@deputy/protocol'

/** Makes a repeated request answer what it answered first. */
export interface Replay {
  /** Caller, operation and key in one digest. */
  readonly key: string
  /** Digest of the request body. */
  readonly fingerprint: string
}

interface CommandBase {
  readonly replay?: Replay | undefined
}

export interface IssueCommand extends CommandBase {
  readonly kind: 'issue'
  readonly claims: Claims
  readonly purpose: string | undefined
  readonly compact_jwt: string
  readonly jwt_hash: string
}

/** What authorize and record/action have in common. */
interface AskCommand extends CommandBase {
  /** Becomes `aar_...` on a yes and `den_...` on a no. */
  readonly suffix: string
  readonly vat_jti: string
  readonly action: string
  readonly resource: string
  readonly spend_micro_usd: number
  readonly parent_aar_id: string | undefined
  /** JSON text, with the keyed digest that stands for it in the log. */
  readonly metadata: string | undefined
  readonly metadata_digest: string | undefined
  readonly trace_id: string | undefined
}

export interface AuthorizeCommand extends AskCommand {
  readonly kind: 'authorize'
  readonly dry_run: boolean
  readonly pending_ttl_ms: number
}

export interface RecordActionCommand extends AskCommand {
  readonly kind: 'record_action'
  readonly result: string
  readonly result_hash: string | undefined
}

export interface CompleteCommand extends CommandBase {
  readonly kind: 'complete'
  readonly aar_id: string
  readonly result: string
  readonly result_hash: string | undefined
  /** Absent: the estimate was right. */
  readonly spend_micro_usd: number | undefined
  readonly metadata: string | undefined
  readonly metadata_digest: string | undefined
  readonly completion_digest: string
}

export interface CancelCommand extends CommandBase {
  readonly kind: 'cancel'
  readonly aar_id: string
}

export interface RateCommand extends CommandBase {
  readonly kind: 'rate'
  readonly aar_id: string
  readonly rating: Rating
  readonly note: string | undefined
  readonly note_digest: string | undefined
  readonly rater_assurance: string
}

export interface RevokeCommand extends CommandBase {
  readonly kind: 'revoke'
  readonly vat_jti: string
  readonly reason: string | undefined
  readonly reason_digest: string | undefined
}

/** Housekeeping: expires overdue pending records and forgets old replays. */
export interface SweepCommand extends CommandBase {
  readonly kind: 'sweep'
  readonly limit: number
}

/** Writes nothing of meaning, but durably: can the store be written? */
export interface ProbeCommand extends CommandBase {
  readonly kind: 'probe'
}

/** Several commands with one answer, in one commit. */
export interface ManyCommand extends CommandBase {
  readonly kind: 'many'
  readonly items: readonly (AuthorizeCommand | RecordActionCommand)[]
}

export type SingleCommand =
  | IssueCommand
  | AuthorizeCommand
  | RecordActionCommand
  | CompleteCommand
  | CancelCommand
  | RateCommand
  | RevokeCommand
  | SweepCommand
  | ProbeCommand

export type Command = SingleCommand | ManyCommand

/** A refusal in a form that crosses threads and can be stored. */
export interface Refusal {
  readonly code: AuthorityError['code']
  readonly detail: string
  readonly members: Readonly<Record<string, unknown>>
}

/** What became of a command. A bug shows only that it happened: its cause goes to the log of the process. */
export type Reply =
  | { readonly outcome: unknown; readonly replayed?: true }
  | { readonly refusal: Refusal }
  | { readonly bug: string }
