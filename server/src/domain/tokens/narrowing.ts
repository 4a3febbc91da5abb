import {
  type Approvers,
  type Constraints,
  PERIOD_KINDS,
  type RequireApproval,
  type Scope,
  widening as scopeWidening,
} from '@deputize/protocol'
import { argumentWidening, meetArguments } from './arguments.ts'
import { defaultOverrunPct } from './token.ts'

/** The scope and constraints of a token, held or requested. */
export interface TokenAuthority {
  readonly scope: Scope
  readonly constraints: Constraints
  /** How far actions of a held token may settle above what was authorized, if its constraints don't set it. */
  readonly overrun_pct?: number
}

/** Returns what a child requests beyond its parent, each entry by name. Empty if the child only narrows. */
export function authorityWidening(parent: TokenAuthority, child: TokenAuthority): string[] {
  return [...scopeWidening(parent.scope, child.scope), ...constraintWidening(parent, child.constraints)]
}

const SMALLER_IS_NARROWER = [
  'max_spend_usd',
  'max_spend_per_action_usd',
  'max_actions',
  'max_actions_per_minute',
] as const

const LISTS_OF_ALLOWED = ['allowed_audiences', 'verification_providers'] as const

function listWidening(
  name: string,
  held: readonly string[] | undefined,
  asked: readonly string[] = [],
): string[] {
  if (held === undefined) return []
  return asked.filter((one) => !held.includes(one)).map((one) => `${name}: ${one}`)
}

/**
 * Returns the constraints in which a child goes beyond its parent. Hours and approvals are checked at every link of a
 * chain, so a child's additions can only narrow them.
 */
function constraintWidening(
  { constraints: parent, overrun_pct }: TokenAuthority,
  child: Constraints,
): string[] {
  const wider: string[] = SMALLER_IS_NARROWER.filter((name) => isMore(child[name], parent[name]))
  if (isMore(child.max_overrun_pct, parent.max_overrun_pct ?? defaultOverrunPct(parent) ?? overrun_pct))
    wider.push('max_overrun_pct')
  if (isMore(parent.min_reputation, child.min_reputation)) wider.push('min_reputation')
  if (isMore(parent.min_vouch_score, child.min_vouch_score)) wider.push('min_vouch_score')
  if (isMore(optionalInstant(child.expires_at), optionalInstant(parent.expires_at))) wider.push('expires_at')
  if (isMore(optionalInstant(parent.not_before), optionalInstant(child.not_before))) wider.push('not_before')
  if (isMore(child.max_delegation_depth, lessOne(parent.max_delegation_depth)))
    wider.push('max_delegation_depth')
  const periods = PERIOD_KINDS.filter((kind) =>
    isMore(child.max_spend_usd_per?.[kind], parent.max_spend_usd_per?.[kind]),
  )
  wider.push(...periods.map((kind) => `max_spend_usd_per: ${kind}`))
  wider.push(...argumentWidening(parent.arguments, child.arguments))
  wider.push(...LISTS_OF_ALLOWED.flatMap((name) => listWidening(name, parent[name], child[name])))
  wider.push(...approverWidening(parent.require_approval?.approvers, child.require_approval?.approvers))
  return [...wider, ...changedExtensions(parent, child)]
}

/**
 * Returns how a child's approvers go beyond its parent's. A child may raise the number of approvers or name fewer
 * people. If one names people and the other a role, both links are checked.
 */
function approverWidening(parent: Approvers | undefined, child: Approvers | undefined): string[] {
  if (parent === undefined || child === undefined) return []
  const { people } = parent
  const added = child.people?.filter((one) => people !== undefined && !people.includes(one)) ?? []
  return [
    ...(child.count < parent.count ? ['require_approval.approvers.count'] : []),
    ...added.map((one) => `require_approval.approvers.people: ${one}`),
  ]
}

function isMore(a: number | undefined, b: number | undefined): boolean {
  return a !== undefined && b !== undefined && a > b
}

function optionalInstant(text: string | undefined): number | undefined {
  return text === undefined ? undefined : Date.parse(text)
}

function lessOne(depth: number | undefined): number | undefined {
  return depth === undefined ? undefined : Math.max(0, depth - 1)
}

/** Returns the changed x_ members. The service can't compare them, so a child must repeat its parent's or omit them. */
function changedExtensions(parent: Constraints, child: Constraints): string[] {
  const held = new Map(Object.entries(parent))
  return Object.entries(child)
    .filter(([name, value]) => name.startsWith('x_') && !isSameJson(held.get(name), value))
    .map(([name]) => name)
}

function isSameJson(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b)
}

/** Returns a child's constraints: its own, and those of its parent that it leaves out or that are stricter. */
export function meet(parent: Constraints, child: Constraints): Constraints {
  const { require_approval, max_delegation_depth, ...met } = { ...parent, ...child }
  const approval = meetApproval(parent.require_approval, child.require_approval)
  const limits = meetArguments(parent.arguments, child.arguments)
  const periods = { ...parent.max_spend_usd_per, ...child.max_spend_usd_per }
  const depth = child.max_delegation_depth ?? lessOne(parent.max_delegation_depth)
  return {
    ...met,
    ...(depth !== undefined && { max_delegation_depth: depth }),
    ...(approval !== undefined && { require_approval: approval }),
    ...(limits !== undefined && { arguments: limits }),
    ...(Object.keys(periods).length > 0 && { max_spend_usd_per: periods }),
  }
}

/** Combines two rules: approval is required whenever either requires it. One without a condition always does. */
function meetApproval(
  parent: RequireApproval | undefined,
  child: RequireApproval | undefined,
): RequireApproval | undefined {
  if (parent === undefined || child === undefined) return parent ?? child
  const auto = [parent.auto_approve_after, child.auto_approve_after]
  const approvers = child.approvers ?? parent.approvers // the parent's apply too: every link is checked
  const decided = {
    ...(auto.every((n) => n !== undefined) && { auto_approve_after: Math.max(...auto) }),
    ...(approvers !== undefined && { approvers }),
  }
  if (isUnconditional(parent) || isUnconditional(child)) return decided
  return {
    ...unionOf('actions', parent, child),
    ...unionOf('resources', parent, child),
    ...lowest(parent.above_usd, child.above_usd),
    ...decided,
  }
}

export function isUnconditional({ actions, resources, above_usd }: RequireApproval): boolean {
  return actions === undefined && resources === undefined && above_usd === undefined
}

function unionOf<K extends 'actions' | 'resources'>(name: K, a: RequireApproval, b: RequireApproval) {
  const entries = [...new Set([...(a[name] ?? []), ...(b[name] ?? [])])]
  return entries.length === 0 ? {} : { [name]: entries }
}

function lowest(a: number | undefined, b: number | undefined) {
  const least = Math.min(a ?? Number.POSITIVE_INFINITY, b ?? Number.POSITIVE_INFINITY)
  return Number.isFinite(least) ? { above_usd: least } : {}
}
