/** Everything it takes to check a log, a receipt or a proof pack without trusting anybody: in Node and in browsers. */

export { decodeBase64, encodeBase64 } from './encoding/base64.ts'
export {
  type Audit,
  type AuditOptions,
  auditLog,
  type Kept,
  type Progress,
} from './log/audit-log.ts'
export { believeCheckpoint, type Trust } from './log/believe-checkpoint.ts'
export type { Checkpoint, SignedCheckpoint } from './log/checkpoint.ts'
export { type LogEntry, readEntry } from './log/entry.ts'
export { FAULTS, type FaultCode, KeptError, LogFault } from './log/faults.ts'
export { type Inclusion, verifyInclusionOf } from './log/inclusion.ts'
export { decodeFrontier, encodeFrontier, type Frontier } from './log/merkle.ts'
export { KEY_TYPES, NoteError, type NoteKey, readVkey, vkeyOf } from './log/note.ts'
export { type SoundFile, UnknownFileError, verifyProofFile } from './log/proof-file.ts'
export { type SoundPack, verifyProofPack } from './log/proof-pack.ts'
export type { ReadFile } from './log/read-tiles.ts'
export { type FileTrust, type SoundReceipt, verifyReceipt } from './log/receipt.ts'
