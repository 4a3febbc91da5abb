import type { OperationId } from '@deputize/protocol'
import {
  getAgent,
  getReputationHistory,
  listAgents,
  rankAgents,
  registerAgent,
  resumeAgent,
  suspendAgent,
  updateAgent,
} from './agents.ts'
import { createKey, deleteKey, listKeys, rotateKey, setUp } from './api-keys.ts'
import {
  approve,
  decideApprovals,
  deny,
  endHabit,
  getApproval,
  listApprovals,
  listHabits,
} from './approvals.ts'
import { authorize } from './authorize.ts'
import { authorizeBatch, recordBatch } from './batches.ts'
import { cancelRecord } from './cancel-record.ts'
import { completeRecord } from './complete-record.ts'
import { delegate, previewDelegation } from './delegate.ts'
import { getAuthorizationServer, getDeployment, getHealth, getKeySet, getReadiness } from './discovery.ts'
import { exchangeToken } from './exchange-token.ts'
import { exportHuman } from './export-human.ts'
import { exportWorkflow } from './export-workflow.ts'
import { getDenial } from './get-denial.ts'
import { getLineage } from './get-lineage.ts'
import { getProvenance } from './get-provenance.ts'
import { getReceipt } from './get-receipt.ts'
import { getRecord } from './get-record.ts'
import { getReputation } from './get-reputation.ts'
import {
  getToken,
  getTokenBudget,
  getTokenChain,
  getTokenUsage,
  listDescendants,
  listTokens,
} from './get-token.ts'
import { getWorkflowGraph } from './get-workflow-graph.ts'
import { eraseHuman, getHuman } from './humans.ts'
import { issueL1 } from './issue-l1.ts'
import { issueL2 } from './issue-l2.ts'
import { listDenials } from './list-denials.ts'
import { listRecords } from './list-records.ts'
import { listWorkflowRecords } from './list-workflow-records.ts'
import { listWorkflows } from './list-workflows.ts'
import { getLogin, listProviders, startLogin } from './logins.ts'
import type { Handler } from './operation-context.ts'
import { beginPasskeyLogin, finishPasskeyLogin } from './passkey-login.ts'
import { beginPasskey, deletePasskey, finishPasskey, listPasskeys } from './passkeys.ts'
import { getMe, logOut } from './people.ts'
import { evaluatePolicies, getPolicy, listPolicies } from './policies.ts'
import { rateRecord } from './rate-record.ts'
import { recordAction } from './record-action.ts'
import { renewToken } from './renew-token.ts'
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
import { beginStepUp, finishStepUp } from './step-up.ts'
import { createTenant, getTenant, listTenants, updateTenant } from './tenants.ts'
import {
  getCheckpoint,
  getConsistencyProof,
  getEntries,
  getInclusionProof,
  getLogEntry,
  getTile,
  listCheckpoints,
  listLogEntries,
} from './transparency.ts'
import { introspectToken, verifyToken } from './verification.ts'

/** One handler for every operation: a row without one does not compile. */
export const HANDLERS: { readonly [Id in OperationId]: Handler<Id> } = {
  issueL1,
  issueL2,
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
  listWorkflows,
  getProvenance,
  getReceipt,
  getCheckpoint,
  getTile,
  getEntries,
  listLogEntries,
  getLogEntry,
  getInclusionProof,
  getConsistencyProof,
  listCheckpoints,
  getHuman,
  exportHuman,
  eraseHuman,
  startLogin,
  getLogin,
  listProviders,
  beginPasskey,
  finishPasskey,
  beginPasskeyLogin,
  finishPasskeyLogin,
  listPasskeys,
  deletePasskey,
  getMe,
  logOut,
  beginStepUp,
  finishStepUp,
  listWorkflowRecords,
  getWorkflowGraph,
  exportWorkflow,
  getLineage,
  listPolicies,
  getPolicy,
  evaluatePolicies,
  createTenant,
  listTenants,
  getTenant,
  updateTenant,
  createKey,
  listKeys,
  deleteKey,
  rotateKey,
  setUp,
  rotateSigningKey,
  listSigningKeys,
  getKeySet,
  getAuthorizationServer,
  getDeployment,
  getHealth,
  getReadiness,
}
