/** Checks a log, a receipt, a proof pack or an audit pack without trusting the service, in Node and in browsers. */

export { decodeBase64, encodeBase64 } from './encoding/base64.ts'
export type { ByteSource } from './encoding/zip.ts'
export {
  type Audit,
  type AuditOptions,
  type AuditProgress,
  auditLog,
  type Kept,
} from './log/audit-log.ts'
export { believeCheckpoint, type Trust } from './log/believe-checkpoint.ts'
export type { SignedCheckpoint } from './log/checkpoint.ts'

export { KeptError, LogFault } from './log/faults.ts'

export { decodeFrontier, encodeFrontier } from './log/merkle.ts'
export { KEY_TYPES, type NoteKey, readVkey, vkeyOf } from './log/note.ts'
export { type SoundFile, UnknownFileError, verifyProofFile } from './log/proof-file.ts'
export { verifyProofPack } from './log/proof-pack.ts'
export type { ReadFile } from './log/read-tiles.ts'
export { checkReceipt } from './log/receipt.ts'
export { isArchive, type SoundAuditPack, verifyAuditPack } from './log/verify-audit-pack.ts'
