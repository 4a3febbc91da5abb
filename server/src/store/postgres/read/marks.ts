import type { Marks } from '../../../domain/tokens/token.ts'
import { agentMarksOf, CHANGED_STATE_COLUMNS, humanMarksOf } from '../../rows/tokens.ts'
import type { Row } from '../../values.ts'

/** The columns of a state, from `token_states s`. */
export const STATE_FIELDS = CHANGED_STATE_COLUMNS.map((name) => `s.${name}`).join(', ')

/** The marks on an agent, from `agents a`, under names that are unique in the query. */
export const AGENT_MARK_FIELDS = `a.suspended_at_ms AS agent_suspended_at_ms, a.suspended_rank AS agent_suspended_rank,
  a.revoked_below AS agent_revoked_below, a.asks_until_ms AS agent_asks_until_ms`

/** The marks on a person, from `humans h`. */
export const HUMAN_MARK_FIELDS =
  'h.revoked_below AS human_revoked_below, h.refused_at_ms AS human_refused_at_ms'

export function joinedAgentMarks(row: Row): Marks {
  return agentMarksOf({
    suspended_at_ms: row.agent_suspended_at_ms,
    suspended_rank: row.agent_suspended_rank,
    revoked_below: row.agent_revoked_below,
    asks_until_ms: row.agent_asks_until_ms,
  })
}

export function joinedHumanMarks(row: Row): Marks {
  return humanMarksOf({ refused_at_ms: row.human_refused_at_ms, revoked_below: row.human_revoked_below })
}
