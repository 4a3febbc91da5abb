import { authorize } from './authorize.ts'
import { authorizeBatch } from './authorize-batch.ts'
import { cancelRecord } from './cancel-record.ts'
import { completeRecord } from './complete-record.ts'
import { evaluateAccess } from './evaluate-access.ts'
import { evaluateAccesses } from './evaluate-accesses.ts'
import { getDenial } from './get-denial.ts'
import { getRecord } from './get-record.ts'
import { listDenials } from './list-denials.ts'
import { listRecords } from './list-records.ts'
import { rateRecord } from './rate-record.ts'
import { recordAction } from './record-action.ts'
import { recordBatch } from './record-batch.ts'

export const ACTION_HANDLERS = {
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
}
