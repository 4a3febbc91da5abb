import type { Operation } from '../operation.ts'
import {
  getCheckpoint,
  getConsistencyProof,
  getEntries,
  getInclusionProof,
  getLogEntry,
  getReceipt,
  getTile,
  listCheckpoints,
  listLogEntries,
} from './transparency.ts'

export const LOG_OPERATIONS = {
  getReceipt,
  getCheckpoint,
  getTile,
  getEntries,
  listLogEntries,
  getLogEntry,
  getInclusionProof,
  getConsistencyProof,
  listCheckpoints,
} as const satisfies Record<string, Operation>
