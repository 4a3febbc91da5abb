import { tenantOf } from '@deputize/protocol'
import type { TrustLedger } from '@deputize/protocol/trust'
import type { ScoreAnswers } from './messages.ts'

type Graph = TrustLedger['graph']

const AGENT = 'agent:'
/** The context number of vouches without a context. */
const NO_CONTEXT = 0

/**
 * Returns a tenant's agents that an anchor's word can reach, those with the widest vouches first. Vouches that no
 * anchor reaches are worth nothing, so made-up people can't fill the list with their agents.
 */
export function vouchedAgents(
  graph: Graph,
  tenant_id: string,
  context: string | undefined,
  most: number,
): ScoreAnswers['vouched_agents'] {
  const number = graph.contextNumber(context) ?? NO_CONTEXT
  const found: { readonly name: string; readonly width: number }[] = []
  for (let node = 0; node < graph.nodeCount; node += 1) {
    const name = graph.nameOf(node)
    if (!graph.isAgent(node) || tenantOf(name.slice(AGENT.length)) !== tenant_id) continue
    const width = widthOf(graph, node, number)
    if (width > 0) found.push({ name, width })
  }
  found.sort((a, b) => b.width - a.width || (a.name < b.name ? -1 : 1))
  return { agents: found.slice(0, most).map(({ name }) => name), truncated: found.length > most }
}

/** Returns how much all vouches for an agent can carry together. The flow is never more. */
function widthOf(graph: Graph, agent: number, context: number): number {
  const distances = graph.distances(context)
  return graph
    .insOf(agent)
    .filter((vouch) => graph.counts(vouch, context))
    .reduce((sum, vouch) => sum + graph.capacityOf(vouch, distances.of(graph.fromOf(vouch))), 0)
}
