import type { Evidence, Level, Rating, Reason, RecordState } from '@deputize/protocol'
import type { ApprovalState } from '../../domain/approvals/approval.ts'

export interface TimeRange {
  readonly from_ms: number | undefined
  readonly to_ms: number | undefined
}

export interface TenantFilter {
  /** Only entries of this tenant. */
  readonly tenant_id: string | undefined
}

/** Filters by the token that an entry was made with. Agents are named as in their tokens. */
export interface TokenFilter extends TenantFilter {
  readonly agent_id: string | undefined
  readonly human_ref: string | undefined
  readonly provenance_ref: string | undefined
  readonly assurance_level: Level | undefined
}

/** An additional condition, checked for each entry that is read. A page may therefore hold fewer entries. */
export interface Fitting<T> {
  readonly fits?: ((entry: T) => boolean) | undefined
}

export interface RecordFilter extends TokenFilter, TimeRange {
  readonly action: string | undefined
  readonly resource: string | undefined
  readonly result: string | undefined
  readonly rating: Rating | undefined
  readonly state: RecordState | undefined
  readonly evidence: Evidence | undefined
}

/** Matches every token. Spread it and set the filters you need. */
export const EVERY_TOKEN: TokenFilter = {
  tenant_id: undefined,
  agent_id: undefined,
  human_ref: undefined,
  provenance_ref: undefined,
  assurance_level: undefined,
}

/** Matches every record at any time. */
export const EVERY_RECORD: RecordFilter = {
  ...EVERY_TOKEN,
  action: undefined,
  resource: undefined,
  result: undefined,
  rating: undefined,
  state: undefined,
  evidence: undefined,
  from_ms: undefined,
  to_ms: undefined,
}

export interface DenialFilter extends TokenFilter, TimeRange {
  readonly action?: string | undefined
  readonly resource?: string | undefined
  /** Only denials that have this reason, alone or among others. */
  readonly reason?: Reason | undefined
}

/** Matches every denial at any time. */
export const EVERY_DENIAL: DenialFilter = { ...EVERY_TOKEN, from_ms: undefined, to_ms: undefined }

export interface ApprovalFilter extends TokenFilter, TimeRange {
  readonly state: ApprovalState | undefined
  /** Only approvals that one of these people must approve, or a reviewer must if the list contains `reviewer`. */
  readonly approvers?: readonly string[]
}

export interface HabitFilter extends TenantFilter {
  readonly agent_id: string | undefined
  readonly human_ref: string | undefined
  /** Only those that no revocation has ended. */
  readonly unrevoked?: boolean
  /** Only those with a grant that ends after this instant, and that no revocation has ended. */
  readonly granted_after_ms?: number
}

export interface WorkflowFilter extends TenantFilter, TimeRange {
  readonly human_ref: string | undefined
  /** The agent of any token in the workflow. */
  readonly agent_id: string | undefined
}

export interface VouchFilter extends TenantFilter {
  readonly from: string | undefined
  /** A `human_ref`, or an agent as the log names it. */
  readonly to: string | undefined
  readonly context: string | undefined
  /** Only vouches that are in force at this time. */
  readonly standing_at_ms: number | undefined
}

/** Matches every vouch. */
export const EVERY_VOUCH: VouchFilter = {
  tenant_id: undefined,
  from: undefined,
  to: undefined,
  context: undefined,
  standing_at_ms: undefined,
}
