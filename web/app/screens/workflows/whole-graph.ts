/** The whole execution graph of a workflow, read once for the graph and for the timeline. */
import { useMemo } from 'preact/hooks'
import type { ActionNode, GraphEdge, GraphNode } from '../../../../sdk/node/src/generated/operations.ts'
import type { ServiceAnswer } from '../../api/ask-once.ts'
import { callService } from '../../api/client.ts'
import { type Loaded, useRead } from '../../api/load.ts'
import type { TimelineRecord } from '../../pictures/timeline.ts'

export interface WholeGraph {
  readonly nodes: readonly GraphNode[]
  readonly edges: readonly GraphEdge[]
  readonly total_records: number
  /** Whether there are more actions than were read. */
  readonly isCut: boolean
}

export const MOST_ACTIONS = 10_000
const LARGEST_PAGE = 2_000
/** Larger graphs aren't reread whenever something happens. */
const MOST_LIVE = 1_000

/** `total_records` is the number of actions that the workflow is known to have. */
export function useWholeGraph(ref: string, isWanted: boolean, total_records: number): Loaded<WholeGraph> {
  return useRead(isWanted ? `graph ${ref}` : undefined, (ending) => readGraph(ref, ending), {
    live: total_records <= MOST_LIVE,
  })
}

async function readGraph(ref: string, ending: AbortSignal): Promise<WholeGraph> {
  const nodes = new Map<string, GraphNode>()
  const edges = new Map<string, GraphEdge>()
  let cursor: string | null = null
  let read = 0
  let total_records = 0
  do {
    const page: ServiceAnswer<'getWorkflowGraph'> = await callService(
      'getWorkflowGraph',
      {
        ref,
        limit: LARGEST_PAGE,
        expand: 'denials,approvals',
        ...(cursor !== null && { cursor }),
      },
      ending,
    )
    // Every page that needs a token, agent or person repeats it.
    for (const node of page.nodes) nodes.set(node.id, node)
    for (const edge of page.edges) edges.set(`${edge.type} ${edge.from} ${edge.to}`, edge)
    read += page.nodes.filter(({ type }) => type === 'action').length
    total_records = page.total_records
    cursor = page.next_cursor
  } while (cursor !== null && read < Math.min(MOST_ACTIONS, total_records))
  return {
    nodes: [...nodes.values()],
    edges: [...edges.values()],
    total_records,
    isCut: read < total_records,
  }
}

/** The actions of a graph with their agents, as the timeline draws them. */
export function useTimelineRecords(graph: WholeGraph): readonly TimelineRecord[] {
  return useMemo(() => {
    const performed = graph.edges.filter(({ type }) => type === 'performed')
    const agents = new Map(performed.map(({ from, to }) => [to, from]))
    return graph.nodes.filter(isAction).map((action) => ({
      ...action,
      agent_id: agents.get(action.aar_id) ?? '',
    }))
  }, [graph])
}

function isAction(node: GraphNode): node is ActionNode {
  return node.type === 'action'
}
