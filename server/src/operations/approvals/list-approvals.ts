import { type CallOf, type OPERATIONS, shownAgent } from '@deputize/protocol'
import type { StoredApproval } from '../../domain/approvals/approval.ts'
import { DESK_NAME } from '../../domain/approvals/approvers.ts'
import type { ApprovalFilter } from '../../store/port/filters.ts'
import type { Page, PageRequest } from '../../store/port/pages.ts'
import { fittingPage } from '../../store/rows/page.ts'
import { callersAgent, listVisibility, visibleTenant } from '../lists/list-visibility.ts'
import { countedAnswer, listedPage, matchesSearch } from '../lists/listed-page.ts'
import { timeRange } from '../lists/pages.ts'
import type { Handler, OperationContext } from '../operation-context.ts'
import { approverNames } from '../questions/approver-roles.ts'
import { approvalView } from '../views/approval-view.ts'
import { emptyPage } from '../views/page-answer.ts'
import { approvalExpander, askedBecause, type ChainedApproval } from './expanded-approval.ts'

type Query = CallOf<typeof OPERATIONS.listApprovals>['query']

export const listApprovals: Handler<'listApprovals'> = async ({ caller, query }, context) => {
  const { clock, reader } = context
  const visibility = listVisibility(caller, query)
  const { state, assurance_level, provenance_ref } = query
  const others = { state, assurance_level, provenance_ref, ...timeRange(query) }
  const held = caller.role === 'safety' ? { approvers: [DESK_NAME] } : {}
  const filters: ApprovalFilter[] = visibility === undefined ? [] : [{ ...visibility, ...others, ...held }]
  if (caller.role === 'human') {
    const approvers = await approverNames(caller, context)
    const agent_id = query.agent_id === undefined ? undefined : callersAgent(caller, query.agent_id)
    filters.push({ ...visibleTenant(caller), agent_id, human_ref: query.human_ref, ...others, approvers })
  }
  if (filters.length === 0) return emptyPage()
  const now_ms = clock()
  const wantsChains = query.reason !== undefined || query.expand?.includes('token') === true
  const read = async (request: PageRequest) =>
    withChains(await approvalPage(filters, request, context), wantsChains, context)
  const isFiltered = query.reason !== undefined || query.q !== undefined
  const page = await listedPage(query, {
    read: isFiltered
      ? (request) => fittingPage(async (chunk) => placed(await read(chunk)), ruleOf(query), request)
      : read,
    // Two filters can match the same approval, so only approvals that were read can be counted.
    count:
      isFiltered || filters.length > 1
        ? undefined
        : () => reader.countApprovals(filters[0] as ApprovalFilter, now_ms), // there is one
    order: query.sort === 'expires_first' ? expiresFirst : undefined,
  })
  const expand = await approvalExpander(page.entries, query.expand, context)
  return countedAnswer(page, (entry) => ({
    ...approvalView(entry.approval, now_ms),
    ...expand(entry),
  }))
}

function expiresFirst({ approval: one }: ChainedApproval, { approval: other }: ChainedApproval): number {
  return one.expires_at_ms - other.expires_at_ms
}

/** Combines the filters that no index serves into one rule. */
function ruleOf({ reason, q }: Query): (entry: ChainedApproval) => boolean {
  return (entry) =>
    (reason === undefined || askedBecause(entry).includes(reason)) &&
    (q === undefined || isFound(entry.approval, q))
}

function isFound({ agent_id, action, resource }: StoredApproval, q: string): boolean {
  return matchesSearch(q, { texts: [shownAgent(agent_id), action, resource] })
}

function placed({ entries, before }: Page<ChainedApproval>) {
  return { placed: entries.map((entry) => ({ entry, position: entry.approval.log_index })), before }
}

async function withChains(
  { entries, before }: Page<StoredApproval>,
  wantsChains: boolean,
  { reader }: OperationContext,
): Promise<Page<ChainedApproval>> {
  const jtis = wantsChains ? [...new Set(entries.map(({ vat_jti }) => vat_jti))] : []
  const chains = await reader.chains(jtis)
  return { entries: entries.map((approval) => ({ approval, chain: chains.get(approval.vat_jti) })), before }
}

/** Returns a page of the approvals that match any of these filters, each once. */
async function approvalPage(
  filters: readonly ApprovalFilter[],
  request: PageRequest,
  { reader, clock }: OperationContext,
): Promise<Page<StoredApproval>> {
  const now_ms = clock()
  const pages = await Promise.all(filters.map((filter) => reader.approvals(filter, request, now_ms)))
  return mergedPage(pages, request.limit)
}

/** Merges pages of the same order. A page that ended early hides entries of the others below its end. */
function mergedPage(pages: readonly Page<StoredApproval>[], limit: number): Page<StoredApproval> {
  const ends = pages.flatMap(({ before }) => (before === undefined ? [] : [before]))
  const end = ends.length === 0 ? undefined : Math.max(...ends)
  const all = new Map(pages.flatMap(({ entries }) => entries.map((entry) => [entry.log_index, entry])))
  const found = [...all.values()]
    .filter(({ log_index }) => end === undefined || log_index >= end)
    .sort((a, b) => b.log_index - a.log_index)
  if (found.length <= limit) return { entries: found, before: end }
  const entries = found.slice(0, limit)
  return { entries, before: entries.at(-1)?.log_index }
}
