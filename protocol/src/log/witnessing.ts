/**
 * Both sides of the C2SP tlog-witness protocol, without I/O: the request of the log, the decision of the witness, and
 * how the log reads the response. Cosignatures are Ed25519 (cosignature/v1) only.
 */

import { decodeBase64, encodeBase64 } from '../encoding/base64.ts'
import { type Checkpoint, CheckpointError, readCheckpoint } from './checkpoint.ts'
import { EMPTY_ROOT, HASH_BYTES, verifyConsistency } from './merkle.ts'
import { type Note, NoteError, type NoteKey, readNote, type Signer, signedNote, signersOf } from './note.ts'

/** Well above the size of 63 hashes and a note with a hundred signatures. */
export const ADD_CHECKPOINT_MAX_BYTES = 65_536
/** The media type of the size that a witness answers with 409. */
export const TREE_SIZE_TYPE = 'text/x.tlog.size'
const MAX_PROOF_LINES = 63

/** A log's request that a witness cosign `note`, which claims to extend the tree of `old_size`. */
export interface AddCheckpoint {
  readonly old_size: number
  readonly proof: readonly Uint8Array[]
  readonly note: string
}

/** The message does not have the form that the protocol requires. */
export class WitnessingError extends Error {
  override readonly name = 'WitnessingError'
}

/** The body of an add-checkpoint request. */
export function addCheckpointBody({ old_size, proof, note }: AddCheckpoint): string {
  return `old ${old_size}\n${proof.map((hash) => `${encodeBase64(hash)}\n`).join('')}\n${note}`
}

/** Parses the output of `addCheckpointBody`, but not the note in it. Throws a WitnessingError. */
export function readAddCheckpoint(body: string): AddCheckpoint {
  const end = body.indexOf('\n\n')
  if (end < 0) throw new WitnessingError('The request has no empty line before the checkpoint.')
  const [first = '', ...lines] = body.slice(0, end).split('\n')
  const old_size = first.startsWith('old ') ? treeSize(first.slice('old '.length)) : undefined
  if (old_size === undefined) throw new WitnessingError('The first line is not: old <size>.')
  if (lines.length > MAX_PROOF_LINES)
    throw new WitnessingError(`A proof has at most ${MAX_PROOF_LINES} lines.`)
  return { old_size, proof: lines.map(proofHash), note: body.slice(end + 2) }
}

function proofHash(line: string): Uint8Array {
  const hash = decodeBase64(line)
  if (hash?.length !== HASH_BYTES) throw new WitnessingError('A line of the proof is not a hash in base64.')
  return hash
}

/** The size in the body of a 409, or undefined if the body is not a size. */
export function readTreeSize(body: string): number | undefined {
  return body.endsWith('\n') ? treeSize(body.slice(0, -1)) : undefined
}

function treeSize(digits: string): number | undefined {
  const size = /^(0|[1-9]\d{0,15})$/.test(digits) ? Number(digits) : Number.NaN
  return Number.isSafeInteger(size) ? size : undefined
}

/** The log that the note names. Nothing is verified yet. */
export function originOf({ note }: AddCheckpoint): string {
  return note.slice(0, Math.max(0, note.indexOf('\n')))
}

/**
 * How a refused checkpoint with a valid log signature contradicts the one that the witness cosigned:
 * `fork`: it states another root for the same size (or an impossible one for size 0): proof that the log lied;
 * `rollback`: it is smaller: the log may have lost entries, or an old checkpoint was replayed;
 * `unproven`: it is larger, and its proof is wrong: the log may have rewritten entries, or the request was malformed.
 */
export type Contradiction = 'fork' | 'rollback' | 'unproven'

export interface Refusal {
  readonly verdict: 'refuse'
  readonly status: 400 | 403 | 404 | 409 | 422
  /** Safe to show to any caller. */
  readonly detail: string
  /** With 409: the size that the witness cosigned last. */
  readonly size?: number
  /** Only when the signature of the log was verified. */
  readonly contradiction?: Contradiction
}

export interface Acceptance {
  readonly verdict: 'accept'
  readonly checkpoint: Checkpoint
  /** The text of the note, which the witness cosigns. */
  readonly text: string
  /** The text with the signature of the log only: other signatures were not verified. */
  readonly note: string
}

export type Judgement = Acceptance | Refusal

/**
 * The response that a witness must give. `seen` is the checkpoint of this log that it cosigned last, and `log` the key
 * that it trusts for this log, if any. The caller must accept no other checkpoint of this log between reading `seen` and
 * storing the accepted one.
 */
export async function judgeCheckpoint(
  seen: Checkpoint | undefined,
  request: AddCheckpoint,
  log: NoteKey | undefined,
): Promise<Judgement> {
  if (log === undefined || log.name !== originOf(request))
    return refuse(404, 'This witness does not watch that log.')
  const note = formOf(request)
  if ('verdict' in note) return note
  if (!(await isSignedBy(note, log)))
    return refuse(403, 'The checkpoint has no valid signature of the key that is trusted for its log.')
  const checkpoint = statementOf(note)
  if ('verdict' in checkpoint) return checkpoint
  const refusal = refusalOf(seen, request, checkpoint)
  if (refusal !== undefined) return refusal
  const { text } = note
  const line = lineOf(request.note.slice(text.length + 1), note, log)
  return { verdict: 'accept', checkpoint, text, note: signedNote(text, [line]) }
}

function refusalOf(
  seen: Checkpoint | undefined,
  { old_size, proof }: AddCheckpoint,
  checkpoint: Checkpoint,
): Refusal | undefined {
  const { size, root } = seen ?? { size: 0, root: EMPTY_ROOT }
  const contradiction = contradictionOf(size, root, checkpoint)
  if (old_size > checkpoint.size)
    return refuse(400, 'The old size is larger than the checkpoint.', { contradiction })
  if (old_size !== size)
    return refuse(409, 'The old size is not the one cosigned last.', { size, contradiction })
  if (contradiction === 'fork')
    return refuse(422, 'A checkpoint of this size with another root was cosigned.', { contradiction })
  const claim = { from: size, to: checkpoint.size, from_root: root, to_root: checkpoint.root, proof }
  if (!verifyConsistency(claim))
    return refuse(422, 'The proof does not show that the checkpoint continues the one cosigned last.', {
      // Every tree continues the empty tree and itself, so a wrong proof contradicts nothing there.
      contradiction: size > 0 && size < checkpoint.size ? 'unproven' : undefined,
    })
  return undefined
}

function contradictionOf(
  size: number,
  root: Uint8Array,
  checkpoint: Checkpoint,
): 'fork' | 'rollback' | undefined {
  if (checkpoint.size < size) return 'rollback'
  const isSameTree = encodeBase64(checkpoint.root) === encodeBase64(root)
  return checkpoint.size === size && !isSameTree ? 'fork' : undefined
}

function formOf({ note }: AddCheckpoint): Note | Refusal {
  try {
    return readNote(note)
  } catch (error) {
    if (error instanceof NoteError) return refuse(400, error.message)
    throw error
  }
}

async function isSignedBy(note: Note, log: NoteKey): Promise<boolean> {
  try {
    await signersOf(note, [log])
    return true
  } catch (error) {
    if (error instanceof NoteError) return false
    throw error
  }
}

/** Called after the signature was verified, so any fault in the text was made by the log. */
function statementOf({ text }: Note): Checkpoint | Refusal {
  try {
    return readCheckpoint(text)
  } catch (error) {
    if (!(error instanceof CheckpointError)) throw error
    if (error.fault === 'impossible_root') return refuse(422, error.message, { contradiction: 'fork' })
    return refuse(400, error.message)
  }
}

function refuse(
  status: Refusal['status'],
  detail: string,
  { size, contradiction }: { size?: number; contradiction?: Contradiction | undefined } = {},
): Refusal {
  return {
    verdict: 'refuse',
    status,
    detail,
    ...(size !== undefined && { size }),
    ...(contradiction !== undefined && { contradiction }),
  }
}

/**
 * The cosignature of `witness` in the body of a 200, verified over `text`, the text of the checkpoint that was sent.
 * Lines of other keys are ignored. Throws a NoteError when the body is malformed or has no valid line of the witness.
 */
export async function openCosignature(
  body: string,
  text: string,
  witness: NoteKey,
): Promise<Signer & { readonly line: string }> {
  const note = readNote(signedNote(text, [body]))
  // An empty line in the body would make the lines before it part of the text.
  if (note.text !== text) throw new NoteError('malformed_note', 'The answer has more than signature lines.')
  const [signer] = await signersOf(note, [witness])
  if (signer === undefined) throw new NoteError('unsigned', 'The witness did not sign the note.')
  return { ...signer, line: lineOf(body, note, witness) }
}

/** The first line of `key` among the signature lines of a note that it signed. */
function lineOf(lines: string, { signatures }: Note, key: NoteKey): string {
  const place = signatures.findIndex(({ name, id }) => name === key.name && id === key.id)
  return `${lines.split('\n')[place]}\n`
}
