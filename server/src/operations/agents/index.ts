import { getAgent } from './get-agent.ts'
import { getReputation } from './get-reputation.ts'
import { getReputationHistory } from './get-reputation-history.ts'
import { listAgents } from './list-agents.ts'
import { rankAgents } from './rank-agents.ts'
import { registerAgent } from './register-agent.ts'
import { resumeAgent } from './resume-agent.ts'
import { revokeAgent } from './revoke-agent.ts'
import { suspendAgent } from './suspend-agent.ts'
import { updateAgent } from './update-agent.ts'

export const AGENT_HANDLERS = {
  registerAgent,
  listAgents,
  getAgent,
  updateAgent,
  suspendAgent,
  resumeAgent,
  revokeAgent,
  getReputation,
  getReputationHistory,
  rankAgents,
}
