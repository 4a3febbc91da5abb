import type { ActionRecord } from '@deputize/protocol'
import { facts } from '../terminal/facts.ts'
import { agentName, dollars, moment, shortRef } from '../terminal/words.ts'

export function recordFacts(record: ActionRecord): string {
  const { state, result, evidence, completed_at, rating, note } = record
  return facts([
    ['record', record.aar_id],
    ['state', result === undefined ? state : `${state}, ${result}`],
    ['action', `${record.action} ${record.resource}`],
    ['agent', agentName(record.agent_id)],
    ['spend', spend(record)],
    ['token', record.vat_jti],
    ['workflow', record.provenance_ref],
    ['person', `${shortRef(record.human_ref)} (${record.assurance_level})`],
    ['started', moment(record.created_at)],
    ['ended', completed_at === undefined ? undefined : moment(completed_at)],
    ['evidence', evidence.replace('_', ' ')],
    ['rating', rating],
    ['note', note],
  ])
}

/** The amount, and what is wrong with it. */
function spend({ spend_usd, exceeded, over_budget }: ActionRecord): string {
  return [
    dollars(spend_usd),
    ...(exceeded === true ? ['more than authorized, the token is suspended'] : []),
    ...(over_budget === true ? ['over budget'] : []),
  ].join(', ')
}
