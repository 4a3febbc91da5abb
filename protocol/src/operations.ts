import { getProvenance, getReputation } from './agents.ts'
import { getDeployment, getHealth, getReadiness } from './discovery.ts'
import { rateRecord } from './feedback.ts'
import type { Operation } from './operation.ts'
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
import { getKeySet, getToken, issueL1, revokeToken } from './tokens.ts'

/** Every endpoint of the API. The name of a row is its operation id, its handler and its SDK method. */
export const OPERATIONS = {
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
} as const satisfies Record<string, Operation>

export type OperationId = keyof typeof OPERATIONS
