import { DEFAULT_GRAPH_PAGE, type GraphEdge, type GraphNode, shownAgent, toUsd } from '@deputize/protocol'
import { currentState, type StoredApproval } from '../../domain/approvals/approval.ts'
import type { StoredDenial } from '../../domain/denial.ts'
import { recordView, type StoredRecord } from '../../domain/record.ts'
import { isoInstant } from '../../domain/times/time.ts'
import { type Chain, viewsOf } from '../../domain/tokens/token.ts'
import type { GraphExtra, GraphPage, GraphPosition } from '../../store/port/workflow-reader.ts'
import { cursorOf, readCursor } from '../lists/pages.ts'
import type { Handler } from '../operation-context.ts'
import { tokenStatus } from '../views/token-view.ts'
import { loadWorkflow } from './load-workflow.ts'

export const getWorkflowGraph: Handler<'getWorkflowGraph'> = async ({ params, query }, context) => {
  const { limit, cursor } = query
  const { log_index, total_records } = await loadWorkflow(params.ref, context)
  const position = cursor === undefined ? { records_from: log_index } : graphPosition(cursor)
  const expand = query.expand?.split(',') ?? []
  const extras = EXTRAS.filter((extra) => expand.includes(extra))
  const { workflows } = context.reader
  const page = await workflows.graph(params.ref, limit ?? DEFAULT_GRAPH_PAGE, position, extras)
  return {
    provenance_ref: params.ref,
    ...graphOf(page, context.clock(), expand.includes('ratings')),
    total_records,
    next_cursor: page.next === undefined ? null : graphCursor(page.next),
    has_more: page.next !== undefined,
  }
}

const EXTRAS = ['denials', 'approvals'] as const satisfies GraphExtra[]

function graphPosition(cursor: string): GraphPosition {
  const { kind, position } = readCursor(cursor, 'u', 't')
  return kind === 'u' ? { records_from: position } : { tokens_from: position }
}

function graphCursor(position: GraphPosition): string {
  return 'records_from' in position
    ? cursorOf('u', position.records_from)
    : cursorOf('t', position.tokens_from)
}

interface WorkflowGraph {
  readonly nodes: GraphNode[]
  readonly edges: GraphEdge[]
}

/** Builds a page's graph. Each node appears once. Edges lead to nodes of this page, or to causes on earlier pages. */
function graphOf(
  { records, denials, approvals, chains }: GraphPage,
  now_ms: number,
  showsRatings: boolean,
): WorkflowGraph {
  const nodes = new Map<string, GraphNode>()
  const edges: GraphEdge[] = []
  for (const chain of chains)
    for (const view of viewsOf(chain)) {
      const [{ token }] = view
      if (nodes.has(token.jti)) break // its ancestors were added with it
      addToken(view, now_ms, nodes, edges)
    }
  for (const record of records) addAction(record, nodes, edges)
  for (const record of showsRatings ? records : []) addRating(record, nodes, edges)
  for (const denial of denials) addDenial(denial, nodes, edges)
  for (const approval of approvals) addApproval(approval, now_ms, nodes, edges)
  return { nodes: [...nodes.values()], edges }
}

function addToken(chain: Chain, now_ms: number, nodes: Map<string, GraphNode>, edges: GraphEdge[]): void {
  const [{ token }, above] = chain
  const { jti, human_ref, assurance_level, delegation_depth, scope, claims } = token
  const agent_id = shownAgent(token.agent_id)
  nodes.set(human_ref, { id: human_ref, type: 'human', human_ref, assurance_level })
  nodes.set(agent_id, { id: agent_id, type: 'agent', agent_id })
  nodes.set(jti, {
    id: jti,
    type: 'token',
    jti,
    agent_id,
    delegation_depth,
    scope,
    issued_at: isoInstant(token.issued_at_ms),
    expires_at: isoInstant(token.limits.expires_at_ms),
    status: tokenStatus(chain, now_ms),
    ...(claims.svc_constraints !== undefined && { constraints: claims.svc_constraints }),
  })
  edges.push({ type: 'delegated', from: above?.token.jti ?? human_ref, to: jti })
  edges.push({ type: 'delegated', from: jti, to: agent_id })
}

function addAction(record: StoredRecord, nodes: Map<string, GraphNode>, edges: GraphEdge[]): void {
  const view = recordView(record)
  const { aar_id, agent_id, parent_aar_id } = view
  nodes.set(aar_id, {
    id: aar_id,
    type: 'action',
    aar_id,
    action: view.action,
    resource: view.resource,
    state: view.state,
    spend_usd: view.spend_usd,
    trust_score: view.trust_score,
    created_at: view.created_at,
    ...(view.result !== undefined && { result: view.result }),
    ...(view.rating !== undefined && { rating: view.rating }),
    ...(view.completed_at !== undefined && { completed_at: view.completed_at }),
  })
  edges.push({ type: 'performed', from: agent_id, to: aar_id, token: view.vat_jti })
  if (parent_aar_id !== undefined) edges.push({ type: 'caused', from: parent_aar_id, to: aar_id })
}

function addRating(
  { aar_id, rating: given }: StoredRecord,
  nodes: Map<string, GraphNode>,
  edges: GraphEdge[],
): void {
  if (given === undefined) return
  const { rating, rater_assurance, feedback_at_ms } = given
  const id = `rating:${aar_id}`
  nodes.set(id, {
    id,
    type: 'rating',
    aar_id,
    rating,
    rater_assurance,
    created_at: isoInstant(feedback_at_ms),
  })
  edges.push({ type: 'rated', from: id, to: aar_id })
}

function addDenial(denial: StoredDenial, nodes: Map<string, GraphNode>, edges: GraphEdge[]): void {
  const { denial_id, vat_jti, action, resource, reasons } = denial
  nodes.set(denial_id, {
    id: denial_id,
    type: 'denial',
    denial_id,
    action,
    resource,
    reason: reasons[0],
    spend_usd: toUsd(denial.spend_micro_usd),
    created_at: isoInstant(denial.created_at_ms),
  })
  edges.push({ type: 'denied', from: shownAgent(denial.agent_id), to: denial_id, token: vat_jti })
}

function addApproval(
  approval: StoredApproval,
  now_ms: number,
  nodes: Map<string, GraphNode>,
  edges: GraphEdge[],
): void {
  const { approval_id, vat_jti, action, resource, decided_at_ms, used_by } = approval
  nodes.set(approval_id, {
    id: approval_id,
    type: 'approval',
    approval_id,
    action,
    resource,
    state: currentState(approval, now_ms),
    spend_usd: toUsd(approval.spend_micro_usd),
    created_at: isoInstant(approval.created_at_ms),
    ...(decided_at_ms !== undefined && { decided_at: isoInstant(decided_at_ms) }),
    ...(used_by !== undefined && { used_by }),
  })
  edges.push({ type: 'asked', from: shownAgent(approval.agent_id), to: approval_id, token: vat_jti })
}
