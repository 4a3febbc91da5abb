import type { Command } from 'commander'
import { addCallCommand, type ResponseOf } from '../client/call-command.ts'
import { facts } from '../terminal/facts.ts'
import { agentName, count, moment } from '../terminal/words.ts'

type AgentReputation = ResponseOf<'getReputation'>

/** `deputy reputation`: how well an agent has done. */
export function addReputationCommand(program: Command): void {
  addCallCommand(program, {
    name: 'reputation',
    operation: 'getReputation',
    args: ['agent_id'],
    say: reputationFacts,
  })
}

function reputationFacts(agent: AgentReputation): string {
  const { total_actions, completed_actions, has_human_feedback, ratings, last_action_at } = agent
  const { approved, flagged, rejected } = ratings
  return facts([
    ['agent', agentName(agent.agent_id)],
    // Without evidence a score is only the middle of the scale.
    [
      'reputation',
      total_actions === 0
        ? 'no record yet'
        : `${agent.combined_reputation.toFixed(2)}, from ${count(total_actions, 'action')}`,
    ],
    [
      'execution',
      completed_actions === 0 ? 'no record yet' : between(agent.execution_score, agent.execution_interval),
    ],
    [
      'feedback',
      has_human_feedback ? between(agent.feedback_score, agent.feedback_interval) : 'not rated yet',
    ],
    ['ratings', `${approved} approved, ${flagged} flagged, ${rejected} rejected`],
    ['gate score', agent.gate_score.toFixed(2)],
    ['first seen', moment(agent.first_seen_at)],
    ['last action', last_action_at === undefined ? undefined : moment(last_action_at)],
  ])
}

/** A score with its interval. */
function between(score: number, { low, high }: AgentReputation['execution_interval']): string {
  return `${score.toFixed(2)} (${low.toFixed(2)} to ${high.toFixed(2)})`
}
