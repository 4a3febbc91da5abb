import type {
  ActionNode,
  ApprovalNode,
  DenialNode,
  GraphEdge,
  GraphNode,
} from '../../../sdk/node/src/generated/operations.ts'
import { nameOfAgent } from '../words/agent-names.ts'
import { shortId } from '../words/ids.ts'
import { numberText, usd } from '../words/money.ts'
import { type OutcomeName, reasonWords, recordOutcome, WORST_FIRST } from '../words/outcome.ts'

/** A box of the execution graph. */
export interface GraphBox {
  readonly id: string
  readonly kind: 'person' | 'agent' | 'action' | 'denial' | 'approval'
  readonly title: string
  readonly note: string
  readonly outcome: OutcomeName | undefined
  /** The records that it represents. */
  readonly aar_ids: readonly string[]
}

export interface DrawnGraph {
  readonly boxes: readonly GraphBox[]
  readonly arrows: readonly { readonly from: string; readonly to: string; readonly times: number }[]
}

interface Graph {
  readonly nodes: readonly GraphNode[]
  readonly edges: readonly GraphEdge[]
}

/** Something that an agent did or wanted to do. */
type DeedNode = ActionNode | DenialNode | ApprovalNode

const DEED_EDGES: readonly GraphEdge['type'][] = ['performed', 'denied', 'asked']

/**
 * Shows who let whom do what. If `isAggregated`, there is one box for each combination of agent, action, resource and
 * kind, otherwise one for each action. Tokens are left out: the tree shows them.
 */
export function executionGraph(graph: Graph, isAggregated: boolean): DrawnGraph {
  const byId = new Map(graph.nodes.map((node) => [node.id, node]))
  const actor = new Map(graph.edges.filter(isDeedEdge).map(({ from, to }) => [to, from]))
  const keyOf = (id: string): string => {
    const node = byId.get(id)
    if (!isAggregated || node === undefined || !isDeed(node)) return id
    return [actor.get(id), node.type, node.action, node.resource].join(' ')
  }
  const groups = new Map<string, DeedNode[]>()
  for (const node of graph.nodes.filter(isDeed)) {
    const key = keyOf(node.id)
    const group = groups.get(key)
    if (group === undefined) groups.set(key, [node])
    else group.push(node)
  }
  const boxes = [
    ...graph.nodes.flatMap(partyBox),
    ...[...groups].map(([id, deeds]) => deedBox(id, deeds, actor.get(deeds[0]?.id ?? '') ?? '')),
  ]
  return { boxes, arrows: arrowsOf(shownEdges(graph, byId), keyOf, new Set(boxes.map(({ id }) => id))) }
}

function isDeed(node: GraphNode): node is DeedNode {
  return node.type === 'action' || node.type === 'denial' || node.type === 'approval'
}

function isDeedEdge({ type }: GraphEdge): boolean {
  return DEED_EDGES.includes(type)
}

function partyBox(node: GraphNode): GraphBox[] {
  if (node.type === 'agent') return [party(node.id, 'agent', nameOfAgent(node.agent_id), '')]
  if (node.type !== 'human') return []
  return [party(node.id, 'person', 'Person', `${node.assurance_level} ${shortId(node.human_ref)}`)]
}

function party(id: string, kind: GraphBox['kind'], title: string, note: string): GraphBox {
  return { id, kind, title, note, outcome: undefined, aar_ids: [] }
}

function deedBox(id: string, deeds: readonly DeedNode[], agent_id: string): GraphBox {
  const [first] = deeds
  const outcomes = new Set(deeds.map(deedOutcome))
  const amount = deeds.reduce((sum, { spend_usd }) => sum + spend_usd, 0)
  const reasons = new Set(deeds.flatMap((deed) => (deed.type === 'denial' ? [reasonWords(deed.reason)] : [])))
  const note = [
    nameOfAgent(agent_id),
    deeds.length === 1 ? '' : `${numberText(deeds.length)}×`,
    reasons.size === 0 && amount !== 0 ? usd(amount) : '',
    ...reasons,
  ]
  return {
    id,
    kind: first?.type ?? 'action',
    title: `${first?.action} ${first?.resource}`,
    note: note.filter((word) => word !== '').join(' · '),
    outcome: WORST_FIRST.find((name) => outcomes.has(name)),
    aar_ids: deeds.flatMap((deed) => (deed.type === 'action' ? [deed.aar_id] : [])),
  }
}

const ANSWERS = { pending: 'asks', approved: 'approved', denied: 'denied', expired: 'expired' } as const

function deedOutcome(deed: DeedNode): OutcomeName {
  if (deed.type === 'denial') return 'denied'
  return deed.type === 'approval' ? ANSWERS[deed.state] : recordOutcome(deed)
}

/** Delegations between people and agents, without the tokens in between, and what they led to. */
function shownEdges({ edges }: Graph, byId: ReadonlyMap<string, GraphNode>) {
  const isToken = (id: string) => byId.get(id)?.type === 'token'
  const delegated = edges.filter(({ type }) => type === 'delegated')
  const holder = new Map(
    delegated.filter(({ from, to }) => isToken(from) && !isToken(to)).map(({ from, to }) => [from, to]),
  )
  const between = delegated.flatMap(({ from, to }) => {
    if (!isToken(to)) return []
    const [giver, taker] = [isToken(from) ? holder.get(from) : from, holder.get(to)]
    return giver === undefined || taker === undefined || giver === taker ? [] : [{ from: giver, to: taker }]
  })
  const caused = edges.filter(({ type }) => type === 'caused')
  const effects = new Set(caused.map(({ to }) => to))
  // An action caused by another one is attached to that one. Its box names its agent.
  const begun = edges.filter((edge) => isDeedEdge(edge) && !effects.has(edge.to))
  return [...between, ...begun, ...caused]
}

function arrowsOf(
  edges: readonly { readonly from: string; readonly to: string }[],
  keyOf: (id: string) => string,
  known: ReadonlySet<string>,
) {
  const arrows = new Map<string, { from: string; to: string; times: number }>()
  for (const edge of edges) {
    const [from, to] = [keyOf(edge.from), keyOf(edge.to)]
    if (from === to || !known.has(from) || !known.has(to)) continue
    const key = `${from}\n${to}`
    const arrow = arrows.get(key)
    if (arrow === undefined) arrows.set(key, { from, to, times: 1 })
    else arrow.times += 1
  }
  return [...arrows.values()]
}
