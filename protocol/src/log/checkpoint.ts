/** C2SP checkpoints: the size and the root of a log as a signed note. */

import { decodeBase64, encodeBase64 } from '../encoding/base64.ts'
import { EMPTY_ROOT, HASH_BYTES } from './merkle.ts'
import { KEY_TYPES, type NoteKey, readNote, type Signer, signersOf } from './note.ts'

export interface Checkpoint {
  /** The name of the log. It never changes. */
  readonly origin: string
  readonly size: number
  readonly root: Uint8Array
}

/** A checkpoint that the log signed, with the witnesses that cosigned it. */
export interface SignedCheckpoint extends Checkpoint {
  /** The whole note, as it was read. */
  readonly note: string
  readonly witnesses: readonly Signer[]
}

export type CheckpointFault =
  | 'malformed_checkpoint'
  | 'impossible_root'
  | 'wrong_origin'
  | 'log_signature_missing'

export class CheckpointError extends Error {
  override readonly name = 'CheckpointError'
  readonly fault: CheckpointFault

  constructor(fault: CheckpointFault, detail: string) {
    super(detail)
    this.fault = fault
  }
}

/** The text that the log signs. */
export function checkpointText({ origin, size, root }: Checkpoint): string {
  return `${origin}\n${size}\n${encodeBase64(root)}\n`
}

/** Parses a checkpoint. Extension lines after the third are ignored. */
export function readCheckpoint(text: string): Checkpoint {
  const [origin = '', digits = '', encoded = '', ...others] = text.split('\n')
  const size = /^(0|[1-9]\d*)$/.test(digits) ? Number(digits) : Number.NaN
  const root = decodeBase64(encoded)
  if (origin === '') throw malformed('has no origin')
  if (!Number.isSafeInteger(size)) throw malformed('has no size')
  if (root?.length !== HASH_BYTES) throw malformed('has no root of 32 bytes')
  if (others.pop() !== '' || others.includes('')) throw malformed('has an empty line')
  if (size === 0 && encoded !== encodeBase64(EMPTY_ROOT))
    throw new CheckpointError(
      'impossible_root',
      'The checkpoint of an empty log has the root of a non-empty one.',
    )
  return { origin, size, root }
}

function malformed(what: string): CheckpointError {
  return new CheckpointError('malformed_checkpoint', `The checkpoint ${what}.`)
}

/**
 * Reads and verifies a checkpoint: its origin must be the name of the log's key, and that key must have signed it.
 * `witnesses` are the keys whose cosignatures count. Throws a CheckpointError or a NoteError.
 */
export async function openCheckpoint(
  note: string,
  log: NoteKey,
  witnesses: readonly NoteKey[] = [],
): Promise<SignedCheckpoint> {
  const parts = readNote(note)
  const checkpoint = readCheckpoint(parts.text)
  if (checkpoint.origin !== log.name)
    throw new CheckpointError(
      'wrong_origin',
      `The checkpoint is of the log ${checkpoint.origin}, not of ${log.name}.`,
    )
  const signers = await signersOf(parts, [log, ...witnesses])
  if (!signers.some(({ key }) => key === log))
    throw new CheckpointError('log_signature_missing', `${log.name} itself did not sign the checkpoint.`)
  return { ...checkpoint, note, witnesses: signers.filter(({ key }) => key.type === KEY_TYPES.witness) }
}
