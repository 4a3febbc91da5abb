import { DEFAULT_PAGE } from '@deputize/protocol'
import type { Handler } from '../operation-context.ts'
import { asOfView } from '../views/score-view.ts'
import { shownMillionths, shownSubject } from '../views/vouch-view.ts'

export const rankByVouches: Handler<'rankByVouches'> = async ({ caller, query }, { trustScores }) => {
  const { answer, as_of } = await trustScores.ranking(caller.tenant_id, query.context)
  return {
    as_of: asOfView(as_of),
    truncated: answer.truncated,
    data: answer.agents.slice(0, query.limit ?? DEFAULT_PAGE).map(({ subject, score, flow }) => ({
      agent_id: shownSubject(subject),
      score: shownMillionths(score),
      flow: shownMillionths(flow),
    })),
  }
}
