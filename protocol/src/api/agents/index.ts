import type { Operation } from '../operation.ts'
import {
  getAgent,
  getReputation,
  getReputationHistory,
  listAgents,
  rankAgents,
  registerAgent,
  resumeAgent,
  revokeAgent,
  suspendAgent,
  updateAgent,
} from './agents.ts'

export const AGENT_OPERATIONS = {
  revokeAgent,
  registerAgent,
  listAgents,
  getAgent,
  updateAgent,
  suspendAgent,
  resumeAgent,
  getReputation,
  getReputationHistory,
  rankAgents,
} as const satisfies Record<string, Operation>
