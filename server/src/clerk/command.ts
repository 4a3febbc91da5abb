import type { AuthorityError, Claims, Evidence, KeyPurpose, Level, Rank, Rating } from '@deputize/protocol'
import type { AccessMode } from '../domain/access-mode.ts'
import type { Decider } from '../domain/approvals/approvers.ts'
import type { HabitKind } from '../domain/approvals/habit.ts'
import type { KeptScore } from '../domain/vouch.ts'
import type { RegistryName } from '../store/port/registry.ts'

/** Lets a repeated request get the same answer as the first one. */
export interface Replay {
  /** Digest of caller, operation and idempotency key. */
  readonly key: string
  /** The same digest, prefixed with the time at which the caller made the key. Set if the key contains that time. */
  readonly ordered_key?: string | undefined
  /** Digest of the request body. The store keeps only a keyed digest of it. */
  readonly fingerprint: string
}

interface CommandBase {
  readonly replay?: Replay | undefined
}

/** A token that is already signed. */
interface SignedToken {
  readonly claims: Claims
  readonly purpose: string | undefined
  readonly compact_jwt: string
  readonly jwt_hash: string
  readonly status_index: number
  /** The text of its inner limits. Set for L3 tokens and no others. */
  readonly inner_limits?: string | undefined
  /**
   * The names under which the caller may own agents, the primary one first: `key:<id>`, `human:<ref>` or `agent:<name>`.
   * Undefined in open mode, where names are free.
   */
  readonly actors?: readonly string[] | undefined
}

export interface IssueCommand extends CommandBase, SignedToken {
  readonly kind: 'issue'
  /**
   * Registry ID of the biometric template that an L3 token is based on. If the entry is gone, the token isn't issued.
   */
  readonly template_id?: string | undefined
  /** Registry ID of the external provider's check that a token is based on. The check must still stand. */
  readonly check_id?: string | undefined
}

/** A token below another one: a delegated child, or a renewal of the same authority. */
export interface ExtendCommand extends CommandBase, SignedToken {
  readonly kind: 'delegate' | 'renew'
  readonly above_jti: string
}

/** The members that authorize and record/action share. */
export interface AuthorizationCommand extends CommandBase {
  /** Becomes `aar_...` if the action is allowed and `den_...` if it is denied. */
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
  /** Whether the caller observed the action or reports its own; derived from the caller's credential. */
  readonly evidence: Evidence
}

export interface AuthorizeCommand extends AuthorizationCommand {
  readonly kind: 'authorize'
  readonly dry_run: boolean
  readonly pending_ttl_ms: number
}

export interface RecordActionCommand extends AuthorizationCommand {
  readonly kind: 'record_action'
  readonly result: string
  readonly result_hash: string | undefined
}

export interface CompleteCommand extends CommandBase {
  readonly kind: 'complete'
  readonly aar_id: string
  readonly result: string
  readonly result_hash: string | undefined
  /** Absent if the estimate was right. */
  readonly spend_micro_usd: number | undefined
  readonly metadata: string | undefined
  /** Digest of the whole completion. The store keeps only a keyed digest of it. */
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

interface OneTokenOnly {
  /** Stops only this token. The tokens that it renews keep the authority that they share with it. */
  readonly keeps_renewed?: true
}

export interface RevokeCommand extends CommandBase, Reasoned, OneTokenOnly {
  readonly kind: 'revoke'
  readonly vat_jti: string
}

/** Revokes every token of an agent or a person with one mark. */
export interface RevokeAllCommand extends CommandBase, Reasoned {
  readonly kind: 'revoke_all'
  readonly owner: { readonly agent_id: string } | { readonly human_ref: string }
}

interface FreezeBase extends CommandBase {
  readonly target: { readonly vat_jti: string } | { readonly agent_id: string }
  /** The rank of the caller: a suspension stores it, and a resumption needs that rank or a higher one. */
  readonly rank: Rank
}

/** Suspends a token with everything below it and with the token that it renews, or an agent. */
export interface SuspendCommand extends FreezeBase, Reasoned, OneTokenOnly {
  readonly kind: 'suspend'
}

export interface ResumeCommand extends FreezeBase {
  readonly kind: 'resume'
}

/** Releases a token on behalf of the safety desk: its inner limits no longer hold anything back. */
export interface ReleaseCommand extends CommandBase {
  readonly kind: 'release'
  readonly vat_jti: string
}

/** Destroys a person's data key, and with it all personal data stored for them. */
export interface EraseHumanCommand extends CommandBase {
  readonly kind: 'erase_human'
  readonly human_ref: string
}

export interface RegisterAgentCommand extends CommandBase {
  readonly kind: 'register_agent'
  readonly agent_id: string
  /** Members to set. Null removes a member. */
  readonly profile: Readonly<Record<string, unknown>>
  /** Refuse an unknown agent. */
  readonly must_exist: boolean
  /** As in `SignedToken`. Undefined for operators, who may change every agent, and in open mode. */
  readonly actors?: readonly string[] | undefined
  readonly owned_by?: readonly string[] | undefined
  /** Thumbprints of keys. */
  readonly add_keys?: readonly string[]
  readonly remove_keys?: readonly string[]
}

/** Marks a person who refuses new tokens in their name, or lifts that mark. */
export interface RefuseTokensCommand extends CommandBase {
  readonly kind: 'refuse_tokens'
  readonly human_ref: string
  readonly refuses: boolean
}

/** Asks whether a token with these claims could be issued now. Changes nothing. */
export interface PreviewTokenCommand extends CommandBase, Pick<SignedToken, 'claims' | 'actors'> {
  readonly kind: 'preview_token'
}

/** Creates, replaces or removes a registry entry. */
export interface RegisterCommand extends CommandBase {
  readonly kind: 'register'
  readonly entry_kind: RegistryName['kind']
  readonly id: string
  readonly tenant_id: string
  /** A human_ref. */
  readonly owner: string | undefined
  /** JSON text; undefined removes the entry. */
  readonly document: string | undefined
  /** The state that the caller has seen: the log index of the newest change, or `absent` for no document. */
  readonly expects: number | 'absent' | 'any'
  /**
   * The level at which the owner is no longer verified, because a provider withdrew the check that the entry describes.
   */
  readonly withdraws?: 'L2' | 'L3' | undefined
  /** Who makes the change: `key:<id>` or `human:<ref>`. Undefined: the service itself, or a caller in open mode. */
  readonly by?: string | undefined
}

/** A person signs in. The session is valid as soon as this command commits. */
export interface BeginSessionCommand extends CommandBase {
  readonly kind: 'begin_session'
  /** Hash of the session's secret. */
  readonly session_key: string
  readonly tenant_id: string
  readonly human_ref: string
  readonly assurance_level: Level
}

/** A person signs out, or their session is ended. */
export interface EndSessionCommand extends CommandBase {
  readonly kind: 'end_session'
  readonly session_key: string
  readonly human_ref: string
}

/** Marks the store as belonging to open or keyed mode. */
export interface SetAccessModeCommand extends CommandBase {
  readonly kind: 'set_access_mode'
  readonly mode: AccessMode
}

/** Records that an event endpoint was disabled. It gets no events until it is enabled again. */
export interface EndpointDisabledCommand extends CommandBase {
  readonly kind: 'endpoint_disabled'
  readonly endpoint_id: string
  readonly tenant_id: string
  /** The kind of registry entry that defines the endpoint. */
  readonly entry_kind: RegistryName['kind']
  readonly cause: 'failing' | 'gone' | 'key_deleted'
}

export interface DecideApprovalCommand extends CommandBase {
  readonly kind: 'decide_approval'
  readonly approval_id: string
  readonly decision: 'approved' | 'denied'
  /** The human_ref of the person who decides; `human` in open mode. */
  readonly by: string
  /** The same person as an approver, if the token names approvers. */
  readonly decider: Decider
  readonly note: string | undefined
  /** What the approval allows in advance. */
  readonly grant: GrantTerms | undefined
}

export interface GrantTerms {
  readonly lifetime_ms: number
  /** Undefined: the spend of the approved request. */
  readonly max_spend_micro_usd: number | undefined
}

/** Ends every habit of a kind, regardless of root token and shape. */
export interface EndHabitCommand extends CommandBase {
  readonly kind: 'end_habit'
  readonly of: HabitKind
}

/** Sends an approval request that wasn't answered in time to more people. */
export interface EscalateApprovalCommand extends CommandBase {
  readonly kind: 'escalate_approval'
  readonly approval_id: string
  /** People who may decide it, by `human_ref`. */
  readonly to: readonly string[]
}

export interface EndGrantCommand extends CommandBase {
  readonly kind: 'end_grant'
  readonly approval_id: string
}

/** A person vouches for a person or an agent. */
export interface VouchCommand extends CommandBase {
  readonly kind: 'vouch'
  readonly vouch_id: string
  readonly tenant_id: string
  readonly from: string
  /** A `human_ref`, or the agent's name in the log. */
  readonly to: string
  /** In millionths. */
  readonly weight: number
  readonly context: string | undefined
  readonly note: string | undefined
  readonly expires_at_ms: number | undefined
}

/** Members that are undefined stay as they are. */
export interface ChangeVouchCommand extends CommandBase {
  readonly kind: 'change_vouch'
  readonly vouch_id: string
  readonly weight: number | undefined
  /** Null removes the end. */
  readonly expires_at_ms: number | null | undefined
}

export interface WithdrawVouchCommand extends CommandBase {
  readonly kind: 'withdraw_vouch'
  readonly vouch_id: string
  readonly by: 'person' | 'operator'
}

export interface NameAnchorCommand extends CommandBase {
  readonly kind: 'name_anchor'
  readonly tenant_id: string
  readonly human_ref: string
  /** In millionths. */
  readonly base: number
  readonly reason: string
}

export interface RemoveAnchorCommand extends CommandBase {
  readonly kind: 'remove_anchor'
  readonly human_ref: string
}

/** Stores the scores of agents with tokens that require one. They follow from the log, so no leaf records them. */
export interface KeepScoresCommand extends CommandBase {
  readonly kind: 'keep_scores'
  readonly scores: readonly (KeptScore & { readonly agent_id: string })[]
}

/** Fires a rule for an agent, at most once per window. Another node may have been faster. */
export interface FireAlertCommand extends CommandBase {
  readonly kind: 'fire_alert'
  readonly rule_id: string
  readonly agent_id: string
  /** When the condition held. */
  readonly at_ms: number
  readonly explanation: string
}

/** Records in the log that other keys sign from now on. */
export interface KeyRotatedCommand extends CommandBase {
  readonly kind: 'key_rotated'
  /** By purpose. */
  readonly kids: Readonly<Record<KeyPurpose, string>>
  /** When every verifier has had time to fetch these keys. */
  readonly ready_ms: number
}

/** Records in the log that a signing key was stolen. */
export interface KeyWithdrawnCommand extends CommandBase, Reasoned {
  readonly kind: 'key_withdrawn'
  readonly kid: string
  readonly from: string
}

/** Records in the log that everything before this leaf comes from a backup. */
export interface RestoredCommand extends CommandBase {
  readonly kind: 'restored'
  readonly backed_up_at: string
  /** The log that was backed up. */
  readonly origin: string
  /** Whether that log continues. Otherwise a new log begins with the same entries. */
  readonly continues: boolean
  /** The size of the newest known checkpoint, if the backup is shorter. */
  readonly newest_size: number | undefined
}

/** Stores a signed checkpoint. */
export interface KeepCheckpointCommand extends CommandBase {
  readonly kind: 'keep_checkpoint'
  readonly size: number
  /** In base64. */
  readonly root: string
  readonly signed_at_ms: number
  readonly note: string
}

/** Housekeeping: expires overdue pending records and forgets expired replays. */
export interface SweepCommand extends CommandBase {
  readonly kind: 'sweep'
  readonly limit: number
}

/** Housekeeping: adds deferred sums to their tables, for a read that shows them. */
export interface SettleSumsCommand extends CommandBase {
  readonly kind: 'settle_sums'
}

/** Asks for the stored answer to a repeated request that a check outside the clerk refuses now. Changes nothing. */
export interface RepeatCommand extends CommandBase {
  readonly kind: 'repeat'
  readonly replay: Replay
}

/** Writes a placeholder durably, to find out whether the store can be written. */
export interface ProbeCommand extends CommandBase {
  readonly kind: 'probe'
  /** Never forwarded: another node's way to the store says nothing about this node's. */
  readonly is_own?: true
}

/** Several commands with one answer and one commit. */
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
  | ExtendCommand
  | RevokeCommand
  | RevokeAllCommand
  | SuspendCommand
  | ResumeCommand
  | ReleaseCommand
  | EraseHumanCommand
  | RegisterAgentCommand
  | RefuseTokensCommand
  | PreviewTokenCommand
  | RegisterCommand
  | BeginSessionCommand
  | EndSessionCommand
  | SetAccessModeCommand
  | EndpointDisabledCommand
  | DecideApprovalCommand
  | EndHabitCommand
  | EndGrantCommand
  | EscalateApprovalCommand
  | VouchCommand
  | ChangeVouchCommand
  | WithdrawVouchCommand
  | NameAnchorCommand
  | RemoveAnchorCommand
  | KeepScoresCommand
  | FireAlertCommand
  | KeyRotatedCommand
  | KeyWithdrawnCommand
  | RestoredCommand
  | KeepCheckpointCommand
  | SweepCommand
  | SettleSumsCommand
  | RepeatCommand
  | ProbeCommand

export type Command = SingleCommand | ManyCommand

/** A refusal as data, which can cross threads and be stored. */
export interface RefusalData {
  readonly code: AuthorityError['code']
  readonly detail: string
  readonly members: Readonly<Record<string, unknown>>
}

/** The outcome of a command. The cause of a bug goes to the process log and never into a reply. */
export type Reply =
  | { readonly outcome: unknown; readonly replayed?: true }
  | { readonly refusal: RefusalData }
  | { readonly bug: string }
