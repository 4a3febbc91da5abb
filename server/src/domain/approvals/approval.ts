import {
  type APPROVAL_STATES,
  ASKED_BECAUSE,
  type AskedBecause,
  allowsResource,
  canonicalJson,
  type Level,
  type RequireApproval,
  toMicroUsd,
} from '@deputize/protocol'
import type { ActionRequest } from '../decision.ts'
import { DAY_MS, MINUTE_MS } from '../times/time.ts'
import { isHeld } from '../tokens/inner-limits.ts'
import { isUnconditional } from '../tokens/narrowing.ts'
import { type Chain, isAskedByAlert, type Link, renewedChain, viewsOf } from '../tokens/token.ts'
import { askedPerson, type Endorsement, REVIEW_DESK, type RequiredApprovers } from './approvers.ts'

export type ApprovalState = (typeof APPROVAL_STATES)[number]

/** A request to a human: may this agent do exactly this, once? */
export interface StoredApproval {
  readonly approval_id: string
  readonly vat_jti: string
  readonly root_jti: string
  /** The branch below the root token that asked, as returned by `branchOf`. */
  readonly branch_jti: string
  readonly provenance_ref: string
  readonly agent_id: string
  readonly human_ref: string
  readonly assurance_level: Level
  readonly action: string
  readonly resource: string
  readonly spend_micro_usd: number
  readonly metadata: string | undefined
  /** Digest of the whole request. */
  readonly binding: string
  /** Keyed digest of the metadata's shape. Undefined for requests from earlier versions, which form no habits. */
  readonly shape: string | undefined
  /** Who must approve. Empty if one person decides. */
  readonly approvers: readonly RequiredApprovers[]
  readonly created_at_ms: number
  readonly log_index: number
  readonly expires_at_ms: number
  state: ApprovalState
  decided_at_ms: number | undefined
  /** A human_ref; `human` in open mode; `habit` or `grant` if no person was asked. */
  decided_by: string | undefined
  decided_log_index: number | undefined
  note: string | undefined
  /** The people who approved so far, if several must. */
  endorsements: readonly Endorsement[]
  /** The grant that the person gave with this approval. */
  granted: GivenGrant | undefined
  /** The approval whose grant approved this one. */
  grant_id: string | undefined
  /** The record that used it. */
  used_by: string | undefined
  /** Whether metadata or a note was erased. */
  readonly erased: boolean
  /** Whether its token, or one above it, was revoked when this was read. If so, the approval can no longer be used. */
  readonly token_revoked: boolean
}

/** A grant given with an approval: it covers further requests of the same kind, up to a time and a sum. */
export interface GivenGrant {
  readonly expires_at_ms: number
  readonly max_spend_micro_usd: number
}

/**
 * Limits on open questions, not counting those of revoked tokens: per branch below a root token, per root token with
 * all its branches, and per person. A branch gets half of its root token's limit, so no branch uses it up for the
 * others, and creating branches doesn't raise the root token's limit.
 */
export const MOST_OPEN = { branch: 25, root: 50, person: 100 } as const

/** Denials by people, either of one exact request or in a row. */
export interface Denials {
  readonly count: number
  readonly last_ms: number
}

export const NO_DENIALS: Denials = { count: 0, last_ms: 0 }

const FIRST_HOLD_MS = 10 * MINUTE_MS
const LONGEST_HOLD_MS = DAY_MS
/**
 * After this many denials in a row, one branch, or the root token with all its branches, can't ask people for a while.
 * Each branch adds at most five denials to the root token's count, and its further denials don't prolong the pause of
 * the others: a branch silences itself, but never the others on its own.
 */
export const DENIALS_IN_A_ROW = { branch: 5, root: 10 } as const

/** When a person denied a request of a branch. */
export interface BranchDenial {
  readonly branch_jti: string
  readonly at_ms: number
}

/** Returns until when a denial also answers repeats of the same request. Each further denial doubles the time. */
export function deniedUntil({ count, last_ms }: Denials): number {
  return count === 0 ? 0 : last_ms + Math.min(FIRST_HOLD_MS * 2 ** (count - 1), LONGEST_HOLD_MS)
}

/**
 * Returns the branch that a token asks in: the first token below the root that belongs to a different agent than the
 * root. Requests of the root's own agent, including those with renewals and with tokens that it delegated to itself,
 * form one branch under the root's name.
 */
export function branchOf(chain: Chain): string {
  const root = chain[chain.length - 1] ?? chain[0]
  const first = chain.findLast(({ token }) => token.agent_id !== root.token.agent_id)
  return (first ?? root).token.jti
}

/**
 * Returns until when a branch can't ask a person who keeps denying its requests, given the denials in a row below its
 * root token. Otherwise an agent could get around a denial by slightly changing the amount, the metadata, the resource
 * or the token, or by passing the question to an agent that it has just created.
 */
export function pausedUntil(denials: readonly BranchDenial[], branch_jti: string): number {
  const own = denials.filter((one) => one.branch_jti === branch_jti)
  const pauses = [
    pauseAfter(DENIALS_IN_A_ROW.branch, timesOf(own)),
    pauseAfter(DENIALS_IN_A_ROW.root, countedForRoot(denials)),
    untilFewRecent(denials),
  ]
  return Math.max(...pauses)
}

function pauseAfter(most: number, times: readonly number[]): number {
  return deniedUntil({ count: Math.max(0, times.length + 1 - most), last_ms: times.at(-1) ?? 0 })
}

/**
 * Returns when people denied requests below the root, with at most five denials per branch. Simultaneous denials count
 * once, for the branch with the lowest count.
 */
function countedForRoot(denials: readonly BranchDenial[]): number[] {
  const counted = new Map<string, number>()
  const countOf = ({ branch_jti }: BranchDenial) => counted.get(branch_jti) ?? 0
  const times: number[] = []
  const inOrder = denials.toSorted(
    (one, other) => one.at_ms - other.at_ms || (one.branch_jti < other.branch_jti ? -1 : 1),
  )
  for (const [at_ms, at_once] of Map.groupBy(inOrder, (one) => one.at_ms)) {
    const [least] = at_once.toSorted((one, other) => countOf(one) - countOf(other))
    if (least === undefined || countOf(least) >= DENIALS_IN_A_ROW.branch) continue
    counted.set(least.branch_jti, countOf(least) + 1)
    times.push(at_ms)
  }
  return times
}

/**
 * Returns when fewer than ten denials will fall within the last ten minutes, counting at most five per branch.
 * Otherwise many branches that no longer add to the count could all ask at the same time.
 */
function untilFewRecent(denials: readonly BranchDenial[]): number {
  const branches = [...Map.groupBy(denials, ({ branch_jti }) => branch_jti).values()]
  const recent = branches.flatMap((own) => timesOf(own).slice(-DENIALS_IN_A_ROW.branch))
  const tenth_ms = inOrderOnce(recent).at(-DENIALS_IN_A_ROW.root)
  return tenth_ms === undefined ? 0 : tenth_ms + FIRST_HOLD_MS
}

/** Returns the times of these denials, oldest first. Simultaneous denials count as one. */
function timesOf(denials: readonly BranchDenial[]): number[] {
  return inOrderOnce(denials.map(({ at_ms }) => at_ms))
}

function inOrderOnce(times: readonly number[]): number[] {
  return [...new Set(times)].sort((one, other) => one - other)
}

/** Whether a person approved it. */
export function isByHand({ state, decided_by }: Pick<StoredApproval, 'state' | 'decided_by'>): boolean {
  return state === 'approved' && decided_by !== 'habit' && decided_by !== 'grant'
}

/**
 * Returns the state at `now_ms`. An approval that wasn't decided or used before it expired, or before its token was
 * revoked, counts as expired, whatever state is stored.
 */
export function currentState(
  {
    state,
    expires_at_ms,
    used_by,
    token_revoked,
  }: Pick<StoredApproval, 'state' | 'expires_at_ms' | 'used_by' | 'token_revoked'>,
  now_ms: number,
): ApprovalState {
  const isOpen = (state === 'pending' || state === 'approved') && used_by === undefined
  return isOpen && (token_revoked || now_ms >= expires_at_ms) ? 'expired' : state
}

/** Whether any link of the chain requires an approval or holds the request for review, or an alert asks for one. */
export function needsApproval(request: ActionRequest, chain: Chain, now_ms: number): boolean {
  return chain.some(
    (link) =>
      ruleFor(request, link) !== undefined || holdsForReview(request, link) || isAskedByAlert(link, now_ms),
  )
}

/** Returns the rules that require approval of the request. */
export function requiredBy(request: ActionRequest, chain: Chain): RequireApproval[] {
  return chain.map((link) => ruleFor(request, link)).filter((rule) => rule !== undefined)
}

/** Returns why the tokens of a chain require approval of the request, leaving out review. */
export function approvalCauses(
  { action, resource, spend_micro_usd }: Pick<ActionRequest, 'action' | 'resource' | 'spend_micro_usd'>,
  chain: Chain,
): AskedBecause[] {
  const rules = chain.flatMap(({ token }) => token.limits.require_approval ?? [])
  const causes = {
    always: rules.some(isUnconditional),
    action: rules.some(({ actions = [] }) => actions.includes(action)),
    resource: rules.some(({ resources = [] }) => allowsResource({ resources, actions: [] }, resource)),
    amount: rules.some(({ above_usd }) => above_usd !== undefined && spend_micro_usd > toMicroUsd(above_usd)),
  }
  return ASKED_BECAUSE.filter((cause) => cause !== 'review' && causes[cause])
}

/** Returns the approvers that the links of a chain require. Empty if one person decides. */
export function approversFor(request: ActionRequest, chain: Chain, now_ms: number): RequiredApprovers[] {
  const named: RequiredApprovers[] = requiredBy(request, chain).flatMap(({ approvers }) =>
    approvers === undefined ? [] : [approvers],
  )
  if (named.length > 0 && asksPerson(request, chain, now_ms))
    named.push(askedPerson(chain[0].token.human_ref))
  if (isReviewed(request, chain)) named.push(REVIEW_DESK)
  return [...new Map(named.map((one) => [canonicalJson(one), one])).values()]
}

/**
 * Whether a link or an alert asks the person that the agent acts for, and no token from there up names others. Approvers
 * that a token further down names don't stand in for that person: its agent may have named them itself.
 */
function asksPerson(request: ActionRequest, chain: Chain, now_ms: number): boolean {
  return viewsOf(chain).some(([link, ...above]) => {
    const asks = ruleFor(request, link) !== undefined || isAskedByAlert(link, now_ms)
    return asks && requiredBy(request, [link, ...above]).every(({ approvers }) => approvers === undefined)
  })
}

export function haveSameApprovers(
  some: readonly RequiredApprovers[],
  others: readonly RequiredApprovers[],
): boolean {
  return canonicalJson(some) === canonicalJson(others)
}

export function needsApprovers(request: ActionRequest, chain: Chain): boolean {
  return (
    isReviewed(request, chain) || requiredBy(request, chain).some(({ approvers }) => approvers !== undefined)
  )
}

function isReviewed(request: ActionRequest, chain: Chain): boolean {
  return chain.some((link) => holdsForReview(request, link))
}

function holdsForReview(request: ActionRequest, { token, state }: Link): boolean {
  const { inner_limits } = token
  return inner_limits !== undefined && state.released_at_ms === undefined && isHeld(inner_limits, request)
}

/**
 * Returns the chain of the token to suspend when an action cost more than it was authorized for: the highest token
 * whose limit on single actions it exceeded, or that requires approval of it at this cost, or else the token itself.
 * Such a limit isn't enforced by a sum, so the next token below could exceed it again. Suspending a renewal would leave
 * the token that it renews usable, so that one is suspended instead. `request` has the actual spend.
 */
export function overrunChain(request: ActionRequest, chain: Chain): Chain {
  const broken = viewsOf(chain).findLast(
    ([link]) =>
      request.spend_micro_usd > link.token.limits.max_spend_per_action_micro_usd ||
      ruleFor(request, link) !== undefined,
  )
  return renewedChain(broken ?? chain)
}

function ruleFor(request: ActionRequest, { token }: Link): RequireApproval | undefined {
  const rule = token.limits.require_approval
  return rule !== undefined && appliesTo(rule, request) ? rule : undefined
}

function appliesTo(rule: RequireApproval, { action, resource, spend_micro_usd }: ActionRequest): boolean {
  if (isUnconditional(rule)) return true
  const { actions = [], resources = [], above_usd } = rule
  return (
    actions.includes(action) ||
    allowsResource({ resources, actions: [] }, resource) ||
    (above_usd !== undefined && spend_micro_usd > toMicroUsd(above_usd))
  )
}
