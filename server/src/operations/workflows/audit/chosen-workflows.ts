import { setImmediate } from 'node:timers/promises'
import { AuthorityError, invalidField } from '@deputize/protocol'
import type { Caller } from '../../../access/caller.ts'
import { EVERY_DENIAL, EVERY_RECORD, EVERY_TOKEN, type TimeRange } from '../../../store/port/filters.ts'
import type { WorkflowFacts } from '../../../store/port/workflow-reader.ts'
import type { ReadStore } from '../../../store/port.ts'
import { callersAgent, visibleTenant } from '../../lists/list-visibility.ts'
import { eachEntry, timeRange } from '../../lists/pages.ts'
import type { OperationContext } from '../../operation-context.ts'
import { loadWorkflow } from '../load-workflow.ts'

/** What a caller chose for an audit pack. */
export interface AuditChoice {
  readonly workflow?: readonly string[]
  readonly agent_id?: readonly string[]
  readonly from?: string
  readonly to?: string
}

/** The limits of a pack. Verifying a workflow holds its entries in memory. */
export const AUDIT_LIMITS = { workflows: 1_000, entries: 100_000 } as const

/** The workflows that match a choice, oldest first. */
export interface ChosenWorkflows {
  readonly workflows: readonly WorkflowFacts[]
  readonly counts: AuditCounts
  /** Whether a limit is exceeded. If `workflows` is empty, there are too many to list. */
  readonly is_too_large: boolean
}

interface AuditCounts {
  readonly records: number
  readonly denials: number
  readonly approvals: number
  readonly tokens: number
  /** Whether the counts are lower bounds, because counting stops at a limit. */
  readonly is_at_least: boolean
}

const NOTHING: AuditCounts = { records: 0, denials: 0, approvals: 0, tokens: 0, is_at_least: false }

export async function chosenWorkflows(
  choice: AuditChoice,
  caller: Caller,
  context: OperationContext,
): Promise<ChosenWorkflows> {
  const found = await fittingWorkflows(choice, caller, context)
  if (found === 'too many')
    return { workflows: [], counts: { ...NOTHING, is_at_least: true }, is_too_large: true }
  const workflows = found.toSorted((one, other) => one.log_index - other.log_index)
  const counts = await countAll(workflows, context)
  const entries = counts.records + counts.denials + counts.approvals + counts.tokens
  return { workflows, counts, is_too_large: entries > AUDIT_LIMITS.entries }
}

async function fittingWorkflows(
  choice: AuditChoice,
  caller: Caller,
  context: OperationContext,
): Promise<WorkflowFacts[] | 'too many'> {
  const { workflow, agent_id, from, to } = choice
  if (workflow !== undefined) {
    const other = Object.entries({ agent_id, from, to }).find(([, value]) => value !== undefined)
    if (other !== undefined) throw invalidField(`?${other[0]}`, 'cannot be combined with `workflow`')
    return Promise.all(workflow.map((ref) => loadWorkflow(ref, context)))
  }
  const found = new Map<string, WorkflowFacts>()
  for await (const provenance_ref of candidates(choice, caller, context.reader)) {
    if (provenance_ref === 'too many') return provenance_ref
    if (found.has(provenance_ref)) continue
    if (found.size === AUDIT_LIMITS.workflows) return 'too many'
    found.set(provenance_ref, await loadWorkflow(provenance_ref, context))
  }
  return [...found.values()]
}

/**
 * Yields the workflows that began in the time range, and those with an action, a denial or an approval request in it,
 * possibly several times each.
 */
async function* candidates(
  choice: AuditChoice,
  caller: Caller,
  reader: ReadStore,
): AsyncGenerator<string | 'too many'> {
  const range = timeRange(choice)
  const agents = choice.agent_id?.map((agent_id) => callersAgent(caller, agent_id)) ?? [undefined]
  let looked_at = 0
  for (const agent_id of agents) {
    const filter = { ...visibleTenant(caller), agent_id, ...range }
    for await (const { provenance_ref } of namedIn(filter, reader)) {
      yield provenance_ref
      looked_at += 1
      if (looked_at > AUDIT_LIMITS.entries) yield 'too many'
    }
  }
}

type NamedFilter = TimeRange & {
  readonly tenant_id: string | undefined
  readonly agent_id: string | undefined
}

async function* namedIn(
  filter: NamedFilter,
  reader: ReadStore,
): AsyncGenerator<{ readonly provenance_ref: string }> {
  const { workflows } = reader
  yield* eachEntry((page) => workflows.list({ human_ref: undefined, ...filter }, page))
  // Without `from`, the list above is complete: anything before `to` belongs to a workflow that began before `to`.
  if (filter.from_ms === undefined) return
  yield* eachEntry((page) => reader.records({ ...EVERY_RECORD, ...filter }, page))
  yield* eachEntry((page) => reader.denials({ ...EVERY_DENIAL, ...filter }, page))
  const approvals = { ...EVERY_TOKEN, ...filter, state: undefined }
  yield* eachEntry((page) => reader.approvals(approvals, page, 0))
}

/** How many workflows are counted at the same time. */
const COUNTED_AT_ONCE = 20

async function countAll(
  workflows: readonly WorkflowFacts[],
  context: OperationContext,
): Promise<AuditCounts> {
  let sum = NOTHING
  for (let start = 0; start < workflows.length; start += COUNTED_AT_ONCE) {
    const part = workflows.slice(start, start + COUNTED_AT_ONCE)
    sum = (await Promise.all(part.map((facts) => countsOf(facts, context)))).reduce(plus, sum)
    await setImmediate()
  }
  return sum
}

async function countsOf(
  { provenance_ref, total_records }: WorkflowFacts,
  { reader, clock }: OperationContext,
): Promise<AuditCounts> {
  const ofWorkflow = { ...EVERY_TOKEN, provenance_ref }
  const always = { from_ms: undefined, to_ms: undefined }
  const [denials, approvals, tokens] = await Promise.all([
    reader.countDenials({ ...EVERY_DENIAL, provenance_ref }),
    reader.countApprovals({ ...ofWorkflow, ...always, state: undefined }, clock()),
    reader.countTokens(ofWorkflow),
  ])
  const is_at_least = ![denials, approvals, tokens].every(({ is_exact }) => is_exact)
  return {
    records: total_records,
    denials: denials.count,
    approvals: approvals.count,
    tokens: tokens.count,
    is_at_least,
  }
}

function plus(one: AuditCounts, other: AuditCounts): AuditCounts {
  return {
    records: one.records + other.records,
    denials: one.denials + other.denials,
    approvals: one.approvals + other.approvals,
    tokens: one.tokens + other.tokens,
    is_at_least: one.is_at_least || other.is_at_least,
  }
}

/** Returns the workflows of a pack, or throws a refusal that explains what to change. */
export function assertPackable({ workflows, is_too_large }: ChosenWorkflows): readonly WorkflowFacts[] {
  if (is_too_large) throw new AuthorityError('audit_pack_too_large')
  if (workflows.length === 0) throw new AuthorityError('audit_pack_empty')
  return workflows
}
