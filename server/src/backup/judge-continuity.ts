import { type Checkpoint, openCheckpoint, readVkey } from '@deputize/protocol'
import { openCheckpointFile } from '../log/checkpoint-file.ts'
import { type Continuity, continuityOf } from './continuity.ts'
import type { BackupManifest } from './manifest.ts'
import { type RestoreOptions, RestoreRefused } from './restore-options.ts'

/** Finds out what is known of the log from outside the backup, and what that means for the restored one. */
export async function judgeContinuity(
  { checkpoint_file, known_notes, accepts_loss }: RestoreOptions,
  { log, created_at, checkpoint }: BackupManifest,
): Promise<{ readonly continuity: Continuity; readonly known: readonly Checkpoint[] }> {
  const here = await openCheckpointFile(checkpoint_file).read()
  const key = readVkey(log.vkey)
  const notes = [...known_notes, ...(here === undefined ? [] : [here])]
  const known = await Promise.all(notes.map((note) => openCheckpoint(note, key).catch(foreign(log.origin))))
  const { size: signed_size } = await openCheckpoint(checkpoint, key)
  const continuity = continuityOf({ log_size: log.size, signed_size }, known)
  const { newest_size } = continuity
  if (newest_size !== undefined && !accepts_loss)
    throw new RestoreRefused(
      `The backup of ${created_at} holds ${log.size} log entries, but a checkpoint over ${newest_size} was published: ${newest_size - log.size} entries would be lost, and revocations among them undone. Look for a newer copy. If there is none, repeat the command with --accept-loss.`,
      true,
    )
  return { continuity, known }
}

function foreign(origin: string): (error: Error) => never {
  return (error) => {
    throw new RestoreRefused(
      `A checkpoint that was named, or is in the checkpoint file, is not one of the log ${origin} (${error.message}). Leave it out, or move it away.`,
    )
  }
}
