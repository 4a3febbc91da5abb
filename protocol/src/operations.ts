import {
  getAgent,
  getProvenance,
  getReputation,
  getReputationHistory,
  listAgents,
  rankAgents,
  registerAgent,
  resumeAgent,
  suspendAgent,
  updateAgent,
} from './agents.ts'
import {
  approve,
  decideApprovals,
  deny,
  endHabit,
  getApproval,
  listApprovals,
  listHabits,
} from './approvals.ts'
import { delegate, previewDelegation, renewToken } from './delegation.ts'
import { getDeployment, getHealth, getReadiness } from './discovery.ts'
import { rateRecord } from './feedback.ts'
import { eraseHuman, exportHuman, getHuman } from './humans.ts'
import type { Operation } from './operation.ts'
import { evaluatePolicies, getPolicy, listPolicies } from './policies.ts'
import {
  authorize,
  authorizeBatch,
  cancelRecord,
  completeRecord,
  getDenial,
  getRecord,
  listDenials,
  listRecords,
  recordAction,
  recordBatch,
} from './records.ts'
import {
  previewRevocation,
  resumeToken,
  revokeAgent,
  revokeHuman,
  revokeToken,
  suspendToken,
} from './revocation.ts'
import { listSigningKeys, rotateSigningKey } from './signing-keys.ts'
import { getStatusList, listRevocations } from './standing.ts'
import {
  getKeySet,
  getToken,
  getTokenBudget,
  getTokenChain,
  getTokenUsage,
  issueL1,
  listDescendants,
  listTokens,
} from './tokens.ts'
import { exchangeToken, getAuthorizationServer, introspectToken, verifyToken } from './verification.ts'

/** Every endpoint of the API. The name of a row is its operation id, its handler and its SDK method. */
export const OPERATIONS = {
  issueL1,
  delegate,
  previewDelegation,
  renewToken,
  listTokens,
  getToken,
  getTokenChain,
  listDescendants,
  getTokenBudget,
  getTokenUsage,
  revokeToken,
  previewRevocation,
  revokeAgent,
  revokeHuman,
  suspendToken,
  resumeToken,
  verifyToken,
  introspectToken,
  exchangeToken,
  listRevocations,
  getStatusList,
  recordAction,
  recordBatch,
  authorize,
  authorizeBatch,
  completeRecord,
  cancelRecord,
  getRecord,
  listRecords,
  getDenial,
  listDenials,
  rateRecord,
  listApprovals,
  getApproval,
  approve,
  deny,
  decideApprovals,
  listHabits,
  endHabit,
  registerAgent,
  listAgents,
  getAgent,
  updateAgent,
  suspendAgent,
  resumeAgent,
  getReputation,
  getReputationHistory,
  rankAgents,
  getProvenance,
  getHuman,
  exportHuman,
  eraseHuman,
  listPolicies,
  getPolicy,
  evaluatePolicies,
  rotateSigningKey,
  listSigningKeys,
  getKeySet,
  getAuthorizationServer,
  getDeployment,
  getHealth,
  getReadiness,
} as const satisfies Record<string, Operation>

export type OperationId = keyof typeof OPERATIONS
