import { DEFAULT_PAGE } from '@deputize/protocol'
import { combinedInterval } from '../../domain/reputation.ts'
import { visibleTenant } from '../lists/list-visibility.ts'
import type { Handler } from '../operation-context.ts'
import { type ReputationView, reputationView } from '../views/reputation-view.ts'

const MAX_RANKED = 10_000

export const rankAgents: Handler<'rankAgents'> = async ({ caller, query }, { reader }) => {
  const views = (await reader.activeAgents(visibleTenant(caller), MAX_RANKED)).map(reputationView)
  const score = query.sort === 'lower_bound' ? lowerBound : combined
  return { data: views.sort((a, b) => score(b) - score(a)).slice(0, query.limit ?? DEFAULT_PAGE) }
}

function combined({ combined_reputation }: ReputationView): number {
  return combined_reputation
}

/** Returns the score that the evidence supports: a few good actions rank below many. */
function lowerBound(view: ReputationView): number {
  return combinedInterval(view).low
}
