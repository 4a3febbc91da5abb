import type { AuthorityError, Claims, Evidence, Rating } from '@deputize/protocol'
import type { HabitKey } from '../domain/approval.ts'
import type { RegistryName } from '../store/port.ts'

/** Makes a repeated request answer what it answered first. */
export interface Replay {
  /** Caller, operation and key in one digest. */
  readonly key: string
  /** Digest of the request body; it is kept only keyed. */
  readonly fingerprint: string
}

interface CommandBase {
  readonly replay?: Replay | undefined
}

/** A token that was signed beforehand. */
interface SignedToken {
  readonly claims: Claims
  readonly purpose: string | undefined
  readonly compact_jwt: string
  readonly jwt_hash: string
  readonly status_index: number
}

export interface IssueCommand extends CommandBase, SignedToken {
  readonly kind: 'issue'
}

/** A token below another one: a child of its own, or the continuation of the same authority. */
export interface PassOnCommand extends CommandBase, SignedToken {
  readonly kind: 'delegate' | 'renew'
  readonly above_jti: string
}

/** What authorize and record/action have in common. */
export interface AskCommand extends CommandBase {
  /** Becomes `aar_...` on a yes and `den_...` on a no. */
  readonly suffix: string
  readonly vat_jti: string
  readonly action: string
  readonly resource: string
  readonly spend_micro_usd: number
  readonly parent_aar_id: string | undefined
  /** JSON text. */
  readonly metadata: string | undefined
  readonly trace_id: string | undefined
  readonly approval_id: string | undefined
  readonly approval_ttl_ms: number
  /** Who says this; derived from the credential of the caller. */
  readonly evidence: Evidence
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
  /** Digest of all that the completion says; it is kept only keyed. */
  readonly completion: string
  readonly evidence: Evidence
}

export interface CancelCommand extends CommandBase {
  readonly kind: 'cancel'
  readonly aar_id: string
  readonly evidence: Evidence
}

export interface RateCommand extends CommandBase {
  readonly kind: 'rate'
  readonly aar_id: string
  readonly rating: Rating
  readonly note: string | undefined
  readonly rater_assurance: string
}

interface Reasoned {
  readonly reason: string | undefined
}

export interface RevokeCommand extends CommandBase, Reasoned {
  readonly kind: 'revoke'
  readonly vat_jti: string
}

/** Every token of an agent or a person, by one mark. */
export interface RevokeAllCommand extends CommandBase, Reasoned {
  readonly kind: 'revoke_all'
  readonly owner: { readonly agent_id: string } | { readonly human_ref: string }
}

/** A freeze that can be lifted, of a token with all below it, or of an agent. */
export interface FreezeCommand extends CommandBase {
  readonly kind: 'suspend' | 'resume'
  readonly target: { readonly vat_jti: string } | { readonly agent_id: string }
}

/** Destroys the key of a person, and with it everything personal that was kept for them. */
export interface EraseHumanCommand extends CommandBase {
  readonly kind: 'erase_human'
  readonly human_ref: string
}

export interface RegisterAgentCommand extends CommandBase {
  readonly kind: 'register_agent'
  readonly agent_id: string
  /** Members to set; null removes one. */
  readonly profile: Readonly<Record<string, unknown>>
  /** Refuse when nobody has heard of the agent. */
  readonly must_exist: boolean
}

/** Enters something into the registry, replaces it or removes it. */
export interface RegisterCommand extends CommandBase {
  readonly kind: 'register'
  readonly entry_kind: RegistryName['kind']
  readonly id: string
  readonly tenant_id: string
  /** A human_ref. */
  readonly owner: string | undefined
  /** JSON text; undefined removes the entry. */
  readonly document: string | undefined
  /** The entry as the caller has seen it: its newest change, or that there is none with a document. */
  readonly expects: number | 'absent' | 'any'
}

export interface DecideApprovalCommand extends CommandBase {
  readonly kind: 'decide_approval'
  readonly approval_id: string
  readonly decision: 'approved' | 'denied'
  /** The human_ref of who decides; `human` in open mode. */
  readonly by: string
  readonly note: string | undefined
}

export interface EndHabitCommand extends CommandBase {
  readonly kind: 'end_habit'
  readonly key: HabitKey
}

/** Tells the log that tokens are signed with another key from now on. */
export interface KeyRotatedCommand extends CommandBase {
  readonly kind: 'key_rotated'
  readonly kid: string
}

/** Keeps a checkpoint that was signed and published. */
export interface KeepCheckpointCommand extends CommandBase {
  readonly kind: 'keep_checkpoint'
  readonly size: number
  /** In base64. */
  readonly root: string
  readonly signed_at_ms: number
  readonly note: string
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
  readonly items: readonly Exclude<SingleCommand, EraseHumanCommand>[]
}

export type SingleCommand =
  | IssueCommand
  | AuthorizeCommand
  | RecordActionCommand
  | CompleteCommand
  | CancelCommand
  | RateCommand
  | PassOnCommand
  | RevokeCommand
  | RevokeAllCommand
  | FreezeCommand
  | EraseHumanCommand
  | RegisterAgentCommand
  | RegisterCommand
  | DecideApprovalCommand
  | EndHabitCommand
  | KeyRotatedCommand
  | KeepCheckpointCommand
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
