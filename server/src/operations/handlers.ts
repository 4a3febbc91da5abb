import type { OperationId } from '@deputy/protocol'
import { authorize } from './authorize.ts'
import { authorizeBatch, recordBatch } from './batches.ts'
import { cancelRecord } from './cancel-record.ts'
import { completeRecord } from './complete-record.ts'
import { getDeployment, getHealth, getKeySet, getReadiness } from './discovery.ts'
import { getDenial } from './get-denial.ts'
import { getProvenance } from './get-provenance.ts'
import { getRecord } from './get-record.ts'
import { getReputation } from './get-reputation.ts'
import { getToken } from './get-token.ts'
import { issueL1 } from './issue-l1.ts'
import { listDenials } from './list-denials.ts'
import { listRecords } from './list-records.ts'
import type { Handler } from './operation-context.ts'
import { rateRecord } from './rate-record.ts'
import { recordAction } from './record-action.ts'
import { revokeToken } from './revoke-token.ts'

/** One handler for every operation: a row without one does not compile. */
export const HANDLERS: { readonly [Id in OperationId]: Handler<Id> } = {
  issueL1,
  getToken,
  revokeToken,
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
  getReputation,
  getProvenance,
  getKeySet,
  getDeployment,
  getHealth,
  getReadiness,
}
