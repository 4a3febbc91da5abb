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
  listWitnesses,
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
  listWitnesses,
} as const satisfies Record<string, Operation>
