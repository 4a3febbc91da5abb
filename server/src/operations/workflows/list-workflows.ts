import { shownAgent } from '@deputize/protocol'
import type { Chain } from '../../domain/tokens/token.ts'
import { EVERY_DENIAL } from '../../store/port/filters.ts'
import type { Page, PageRequest } from '../../store/port/pages.ts'
import type { WorkflowFacts } from '../../store/port/workflow-reader.ts'
import { fittingPage } from '../../store/rows/page.ts'
import { listVisibility } from '../lists/list-visibility.ts'
import { countedAnswer, listedPage, matchesSearch } from '../lists/listed-page.ts'
import { timeRange } from '../lists/pages.ts'
import type { Handler, OperationContext } from '../operation-context.ts'
import { emptyPage } from '../views/page-answer.ts'
import { listedWorkflowView, workflowState } from '../views/workflow-view.ts'

/** A workflow with its root token. */
interface ListedWorkflow {
  readonly facts: WorkflowFacts
  readonly root: Chain
}

export const listWorkflows: Handler<'listWorkflows'> = async ({ caller, query }, context) => {
  const visibility = listVisibility(caller, query)
  if (visibility === undefined) return emptyPage()
  const { reader, clock } = context
  const filter = { ...visibility, ...timeRange(query) }
  const { state, q } = query
  const fits = ({ facts, root }: ListedWorkflow) =>
    (state === undefined || workflowState(root, clock()) === state) && (q === undefined || isFound(facts, q))
  const read = async (request: PageRequest) =>
    withRoots(await reader.workflows.list(filter, request), context)
  const isFiltered = state !== undefined || q !== undefined
  const page = await listedPage(query, {
    read: isFiltered
      ? (request) => fittingPage(async (chunk) => placed(await read(chunk)), fits, request)
      : read,
    count: isFiltered ? undefined : () => reader.workflows.count(filter),
  })
  const added = await expanded(page.entries, query.expand?.split(',') ?? [], context)
  return countedAnswer(page, ({ facts, root }) => ({
    ...listedWorkflowView(facts, root, clock()),
    ...added.get(facts.provenance_ref),
  }))
}

function isFound({ agent_id, provenance_ref }: WorkflowFacts, q: string): boolean {
  return matchesSearch(q, { texts: [shownAgent(agent_id)], ids: [provenance_ref] })
}

function placed({ entries, before }: Page<ListedWorkflow>) {
  return { placed: entries.map((entry) => ({ entry, position: entry.facts.position })), before }
}

async function withRoots(
  { entries, before }: Page<WorkflowFacts>,
  { reader }: OperationContext,
): Promise<Page<ListedWorkflow>> {
  const chains = await reader.chains(entries.map(({ root_jti }) => root_jti))
  const listed = entries.flatMap((facts) => {
    const root = chains.get(facts.root_jti)
    return root === undefined ? [] : [{ facts, root }]
  })
  return { entries: listed, before }
}

/** Returns what `expand` adds to each workflow, by its ID. */
async function expanded(
  entries: readonly ListedWorkflow[],
  asked: readonly string[],
  context: OperationContext,
): Promise<Map<string, { purpose?: string; denials?: number; live_tokens?: number }>> {
  const { reader } = context
  const words = asked.includes('token')
    ? await reader.words(entries.map(({ facts }) => facts.root_jti))
    : undefined
  const live = asked.includes('live_tokens') ? await liveTokens(entries, context) : undefined
  const parts = entries.map(async ({ facts: { provenance_ref, root_jti } }) => {
    const purpose = words?.get(root_jti)?.purpose
    const denials = asked.includes('denials')
      ? (await reader.countDenials({ ...EVERY_DENIAL, provenance_ref })).count
      : undefined
    return [
      provenance_ref,
      {
        ...(purpose !== undefined && { purpose }),
        ...(denials !== undefined && { denials }),
        ...(live !== undefined && { live_tokens: live.get(provenance_ref) ?? 0 }),
      },
    ] as const
  })
  return new Map(await Promise.all(parts))
}

/** Counts live tokens by workflow. No token of a closed workflow works, whatever its own state. */
function liveTokens(entries: readonly ListedWorkflow[], { reader, clock }: OperationContext) {
  const now_ms = clock()
  const open = entries.filter(({ root }) => workflowState(root, now_ms) === 'open')
  return reader.workflows.liveTokens(
    open.map(({ facts }) => facts.provenance_ref),
    now_ms,
  )
}
