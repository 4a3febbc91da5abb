/** Verifies a checkpoint with the keys of the log and of witnesses. */
import { type Checkpoint, CheckpointError, readCheckpoint, type SignedCheckpoint } from './checkpoint.ts'
import { LogFault } from './faults.ts'
import { type Note, NoteError, type NoteKey, readNote, type Signer, signersOf } from './note.ts'

export interface Trust {
  /** The key of the log, whose name is the origin. */
  readonly log: NoteKey
  readonly witnesses?: readonly NoteKey[] | undefined
  /** How many of the witnesses must have signed. All of them by default. */
  readonly quorum?: number | undefined
  /** Refuses a checkpoint that no witness has signed within `max_age_s`. Without a witness its age is unknown. */
  readonly fresh?: { readonly now_ms: number; readonly max_age_s: number } | undefined
}

/** Reads and verifies the checkpoint in `note`. Throws a LogFault if it is not valid. */
export async function believeCheckpoint(note: string, trust: Trust): Promise<SignedCheckpoint> {
  const { parts, checkpoint } = read(note)
  const { log } = trust
  if (checkpoint.origin !== log.name)
    throw new LogFault('origin_changed', `It says ${checkpoint.origin}, and ${log.name} is pinned.`, [note])
  await assertSignedByLog(parts, log, note)
  const witnesses = await cosigners(parts, trust.witnesses ?? [], note)
  assertQuorum(witnesses, trust, note)
  assertFresh(witnesses, trust, note)
  return { ...checkpoint, note, witnesses }
}

function read(note: string): { parts: Note; checkpoint: Checkpoint } {
  try {
    const parts = readNote(note)
    return { parts, checkpoint: readCheckpoint(parts.text) }
  } catch (error) {
    if (error instanceof NoteError || error instanceof CheckpointError)
      throw new LogFault('checkpoint_malformed', error.message)
    throw error
  }
}

async function assertSignedByLog(parts: Note, log: NoteKey, note: string): Promise<void> {
  const named = parts.signatures.filter(({ name }) => name === log.name)
  if (named.length === 0) throw new LogFault('checkpoint_unsigned', `The log is ${log.name}.`, [note])
  if (!named.some(({ id }) => id === log.id))
    throw new LogFault('key_changed', `Key ${named[0]?.id} signed, and ${log.id} is pinned.`, [note])
  try {
    await signersOf(parts, [log])
  } catch (error) {
    if (error instanceof NoteError) throw new LogFault('signature_wrong', `The key is ${log.id}.`, [note])
    throw error
  }
}

async function cosigners(parts: Note, witnesses: readonly NoteKey[], note: string): Promise<Signer[]> {
  const signers = new Map<NoteKey, Signer>()
  for (const key of witnesses) {
    if (!parts.signatures.some(({ name, id }) => name === key.name && id === key.id)) continue
    for (const signer of await signedBy(parts, key, note)) signers.set(key, signer)
  }
  return [...signers.values()]
}

async function signedBy(parts: Note, key: NoteKey, note: string): Promise<Signer[]> {
  try {
    return await signersOf(parts, [key])
  } catch (error) {
    if (error instanceof NoteError)
      throw new LogFault('witness_signature_wrong', `The witness is ${key.name}.`, [note])
    throw error
  }
}

function assertQuorum(signers: readonly Signer[], { witnesses = [], quorum }: Trust, note: string): void {
  const wanted = quorum ?? witnesses.length
  if (signers.length >= wanted) return
  throw new LogFault('witnesses_too_few', `${signers.length} signed, and ${wanted} must.`, [note])
}

function assertFresh(signers: readonly Signer[], { fresh }: Trust, note: string): void {
  const times = signers.flatMap(({ time_s }) => (time_s === undefined ? [] : [time_s]))
  if (fresh === undefined || times.length === 0) return
  const age_s = Math.floor(fresh.now_ms / 1000) - Math.max(...times)
  if (age_s > fresh.max_age_s)
    throw new LogFault(
      'checkpoint_stale',
      `It was last seen ${age_s} seconds ago, and ${fresh.max_age_s} is the most.`,
      [note],
    )
}
