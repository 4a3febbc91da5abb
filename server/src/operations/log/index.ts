import { getCheckpoint } from './get-checkpoint.ts'
import { getConsistencyProof } from './get-consistency-proof.ts'
import { getEntries } from './get-entries.ts'
import { getInclusionProof } from './get-inclusion-proof.ts'
import { getLogEntry } from './get-log-entry.ts'
import { getReceipt } from './get-receipt.ts'
import { getTile } from './get-tile.ts'
import { listCheckpoints } from './list-checkpoints.ts'
import { listLogEntries } from './list-log-entries.ts'
import { listWitnesses } from './list-witnesses.ts'

export const LOG_HANDLERS = {
  getCheckpoint,
  getTile,
  getEntries,
  listLogEntries,
  getLogEntry,
  getInclusionProof,
  getConsistencyProof,
  listCheckpoints,
  listWitnesses,
  getReceipt,
}
