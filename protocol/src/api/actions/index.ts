import type { Operation } from '../operation.ts'
import { evaluateAccess, evaluateAccesses } from './authzen.ts'
import { rateRecord } from './feedback.ts'
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

export const ACTION_OPERATIONS = {
  recordAction,
  recordBatch,
  authorize,
  authorizeBatch,
  evaluateAccess,
  evaluateAccesses,
  completeRecord,
  cancelRecord,
  getRecord,
  listRecords,
  getDenial,
  listDenials,
  rateRecord,
} as const satisfies Record<string, Operation>
