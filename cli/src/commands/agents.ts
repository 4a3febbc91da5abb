import type { Command } from 'commander'
import { addCallCommand, type ResponseOf } from '../client/call-command.ts'
import { callingCommand } from '../client/running.ts'
import { publicKeyIn } from '../client/token-options.ts'
import { facts } from '../terminal/facts.ts'
import type { Screen } from '../terminal/screen.ts'
import { agentName, count, moment } from '../terminal/words.ts'
import { pageTable } from './page.ts'

type AgentEntry = ResponseOf<'getAgent'>

/** `deputy agents`: lists, shows, registers, suspends and resumes agents. */
export function addAgentsCommand(program: Command): void {
  const agents = callingCommand(program, 'agents', 'list, show, register, suspend and resume agents')
  addCallCommand(agents, { name: 'list', operation: 'listAgents', say: agentTable, isDefault: true })
  addCallCommand(agents, { name: 'show', operation: 'getAgent', args: ['agent_id'], say: agentFacts })
  addCallCommand(agents, {
    name: 'register',
    operation: 'registerAgent',
    args: ['agent_id'],
    without: ['add_keys', 'url'],
    say: agentFacts,
    around: async ({ key }, call) =>
      call(typeof key === 'string' ? { add_keys: [await publicKeyIn(key)] } : {}),
  }).option('--key <file>', 'register the public key in this file, which is created if it does not exist')
  addCallCommand(agents, { name: 'suspend', operation: 'suspendAgent', args: ['agent_id'], say: agentFacts })
  addCallCommand(agents, { name: 'resume', operation: 'resumeAgent', args: ['agent_id'], say: agentFacts })
}

function agentTable(answer: ResponseOf<'listAgents'>, screen: Screen): string {
  return pageTable(answer, 'agents', screen, [
    { title: 'agent', cell: ({ agent_id }) => agentName(agent_id) },
    { title: 'state', cell: ({ suspended }) => (suspended ? 'suspended' : 'active'), whole: true },
    { title: 'actions', cell: ({ total_actions }) => String(total_actions), whole: true },
    { title: 'reputation', cell: reputation, whole: true },
    {
      title: 'last action',
      cell: ({ last_action_at }) => (last_action_at === undefined ? '' : moment(last_action_at)),
      whole: true,
    },
  ])
}

/** Without an action the score is only the middle of the scale. */
function reputation({ total_actions, combined_reputation, has_human_feedback }: AgentEntry): string {
  if (total_actions === 0) return 'no record yet'
  return `${combined_reputation.toFixed(2)}${has_human_feedback ? ', rated' : ''}`
}

function reputationFact(agent: AgentEntry): string {
  const { total_actions } = agent
  return total_actions === 0
    ? reputation(agent)
    : `${reputation(agent)}, from ${count(total_actions, 'action')}`
}

function agentFacts(agent: AgentEntry): string {
  const { suspended_at, last_action_at } = agent
  return facts([
    ['agent', agentName(agent.agent_id)],
    ['state', suspended_at === undefined ? 'active' : `suspended ${moment(suspended_at)}`],
    ['suspended by', agent.suspended_by],
    ['reason', agent.suspend_reason],
    ['owned by', agent.owned_by?.join(', ')],
    ['keys', agent.keys?.join(', ')],
    ['name', agent.display_name],
    ['owner', agent.owner],
    ['model', agent.model],
    ['URL', agent.url],
    ['reputation', reputationFact(agent)],
    ['first seen', moment(agent.first_seen_at)],
    ['last action', last_action_at === undefined ? undefined : moment(last_action_at)],
  ])
}
