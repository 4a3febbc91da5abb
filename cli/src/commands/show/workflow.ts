import type { Denial, GraphNode } from '@deputize/protocol'
import type { Deputy } from '@deputize/sdk'
import type { ResponseOf } from '../../client/call-command.ts'
import { OUTCOME_STYLES, outcomeOf } from '../../terminal/outcome-style.ts'
import { progressLine } from '../../terminal/progress-line.ts'
import type { Screen } from '../../terminal/screen.ts'
import { type Branch, tree } from '../../terminal/tree.ts'
import { agentName, dollars } from '../../terminal/words.ts'
import { personBranch, scopeText, styleOf } from './token-tree.ts'

type WorkflowGraph = ResponseOf<'getWorkflowGraph'>
type NodeOf<Type> = Extract<GraphNode, { type: Type }>

const GRAPH_PAGE_SIZE = 500

/** All pages of the graph, and the denials, which the graph does not contain. */
export interface Workflow {
  readonly graph: WorkflowGraph
  readonly denials: readonly Denial[]
}

export async function readWorkflow(client: Deputy, ref: string, limit: number): Promise<Workflow> {
  const progress = progressLine(process.stderr)
  let graph: WorkflowGraph = await client.getWorkflowGraph({ ref, limit: Math.min(GRAPH_PAGE_SIZE, limit) })
  while (graph.next_cursor !== null && actionsIn(graph).length < limit) {
    progress.show(`${actionsIn(graph).length} of ${graph.total_records} actions read`)
    const rest = Math.min(GRAPH_PAGE_SIZE, limit - actionsIn(graph).length)
    graph = mergedGraph(graph, await client.getWorkflowGraph({ ref, limit: rest, cursor: graph.next_cursor }))
  }
  // Tokens without actions have their own pages, after the last action.
  while (graph.next_cursor !== null && actionsIn(graph).length === graph.total_records)
    graph = mergedGraph(
      graph,
      await client.getWorkflowGraph({ ref, limit: GRAPH_PAGE_SIZE, cursor: graph.next_cursor }),
    )
  const denials: Denial[] = []
  for await (const denial of client.listDenials.all({ provenance_ref: ref })) {
    if (denials.length === limit) break
    denials.push(denial)
  }
  progress.clear()
  return { graph, denials: denials.reverse() }
}

/** Merges two pages. Each page repeats the tokens, agents and people that it needs; only one copy is kept. */
function mergedGraph(before: WorkflowGraph, next: WorkflowGraph): WorkflowGraph {
  const nodes = new Map([...before.nodes, ...next.nodes].map((node) => [node.id, node]))
  const edges = new Map(
    [...before.edges, ...next.edges].map((edge) => [`${edge.type} ${edge.from} ${edge.to}`, edge]),
  )
  return { ...next, nodes: [...nodes.values()], edges: [...edges.values()] }
}

function actionsIn({ nodes }: WorkflowGraph): NodeOf<'action'>[] {
  return nodes.filter((node) => node.type === 'action')
}

/** The delegations of a workflow, and below each token its actions and denials. */
export function drawWorkflow({ graph, denials }: Workflow, screen: Screen): string {
  const { nodes, edges } = graph
  const tokens = nodes.filter((node) => node.type === 'token')
  const tokenOf = new Map(edges.flatMap(({ type, to, token }) => (type === 'performed' ? [[to, token]] : [])))
  const causeOf = new Map(edges.flatMap(({ type, from, to }) => (type === 'caused' ? [[to, from]] : [])))
  const ids = new Set(tokens.map(({ id }) => id))
  const parentOf = new Map(
    edges.flatMap(({ type, from, to }) =>
      type === 'delegated' && ids.has(from) && ids.has(to) ? [[to, from]] : [],
    ),
  )

  function branchOf(token: NodeOf<'token'>): Branch {
    const done = actionsIn(graph).filter(({ id }) => tokenOf.get(id) === token.id)
    const denied = denials.filter(({ vat_jti }) => vat_jti === token.jti)
    return {
      lines: [`${agentName(token.agent_id)}  ${token.status}`, token.jti, scopeText(token.scope)],
      ...styleOf(token.status),
      below: [
        ...[
          ...done.map((one) => ({
            at: one.created_at,
            branch: actionBranch(one, causeOf.get(one.id), screen),
          })),
          ...denied.map((one) => ({ at: one.created_at, branch: denialBranch(one) })),
        ]
          .toSorted((one, other) => one.at.localeCompare(other.at))
          .map(({ branch }) => branch),
        ...tokens.filter(({ id }) => parentOf.get(id) === token.id).map(branchOf),
      ],
    }
  }

  const roots = tokens.filter(({ id }) => !parentOf.has(id)).map(branchOf)
  const human = nodes.find((node) => node.type === 'human')
  const drawn =
    human === undefined ? roots.map((root) => tree(root, screen)) : [tree(personBranch(human, roots), screen)]
  return `workflow ${graph.provenance_ref}\n${drawn.join('')}`
}

interface ShownAction
  extends Pick<NodeOf<'action'>, 'aar_id' | 'action' | 'resource' | 'state' | 'spend_usd'> {
  readonly result?: string
  readonly rating?: string
}

/** One action with its result and its cause. */
export function actionBranch(
  node: ShownAction,
  cause: string | undefined,
  { glyphs }: Screen,
  mark = '',
): Branch {
  const { action, resource, state, result, spend_usd, rating } = node
  const facts = [
    state === 'completed' ? (result ?? state) : state,
    ...(spend_usd > 0 ? [dollars(spend_usd)] : []),
    ...(rating === undefined ? [] : [`rated ${rating}`]),
  ]
  return {
    lines: [
      `${mark}${action} ${resource}  ${facts.join(glyphs.dot)}`,
      node.aar_id,
      ...(cause === undefined ? [] : [`caused by ${cause}`]),
    ],
    style: OUTCOME_STYLES[outcomeOf(state, result)],
    below: [],
  }
}

function denialBranch({ denial_id, action, resource, reasons }: Denial): Branch {
  return {
    lines: [`${action} ${resource}  denied: ${reasons.join(', ')}`, denial_id],
    style: OUTCOME_STYLES.no,
    below: [],
  }
}
