import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { append, encodeFrontier, type Frontier, leafHash } from '@deputize/protocol'
import { ExpectedFailure, RESTORE_BACKUP } from '../../../expected-failure.ts'
import { replaced } from '../../sql-text.ts'
import { integer, text } from '../../values.ts'
import { readHead } from '../write/head.ts'
import { inOneCommit } from '../write/in-one-commit.ts'
import { isRowRefusal } from '../write/write-error.ts'
import type { JournalFrame } from './frame.ts'
import { framesBeside, hasJournal, removeJournal } from './journal-files.ts'

/** Listens to the recovery of a store that a crashed service may have left with a journal. */
export interface RecoveryListener {
  /** Called with the reason if the last batch of the journal is left out. None of it was acknowledged. */
  onLeftOut?(refusal: Error): void
}

/** Reruns the statements of frames in the open transaction. */
export function replayFrames(db: DatabaseSync, frames: Iterable<JournalFrame>): void {
  const prepared = new Map<string, StatementSync>()
  for (const { statements } of frames)
    for (const { sql, values } of statements) {
      const statement = prepared.get(sql) ?? db.prepare(sql)
      prepared.set(sql, statement)
      statement.run(...values)
    }
}

export const SET_POSITION = `
  INSERT INTO journal_position (only, frame) VALUES (1, ?) ON CONFLICT DO UPDATE SET ${replaced(['frame'])}`

/** Returns the number of the last frame that the store holds. */
export function journalPosition(db: DatabaseSync): number {
  return integer(db.prepare('SELECT frame FROM journal_position').get()?.frame ?? 0)
}

/**
 * Moves what a process left in its journal into the store, durably, and removes the journal. Throws if the journal
 * doesn't continue the store, or if the log doesn't add up afterwards. A crash leaves the journal as it was, or empty.
 * Returns why the last frame was left out, or undefined if the store now holds all frames.
 */
export function recoverJournal(db: DatabaseSync, file: string): Error | undefined {
  if (!hasJournal(file)) return undefined
  const frames = framesBeside(file)
  const refusal = frames.length > 0 ? recover(db, frames) : undefined
  removeJournal(file)
  return refusal
}

function recover(db: DatabaseSync, frames: readonly JournalFrame[]): Error | undefined {
  const position = journalPosition(db)
  const missing = frames.filter(({ number }) => number > position)
  const gap = missing.findIndex(({ number }, index) => number !== position + 1 + index)
  if (gap !== -1)
    throw new ExpectedFailure(
      `The store ends with frame ${position + gap} of its journal, which continues with frame ${missing[gap]?.number}: this directory mixes files from different times. ${RESTORE_BACKUP}`,
    )
  if (missing.length === 0) return undefined
  return inOneCommit(db, () => {
    const { frontier } = readHead(db)
    replayFrames(db, missing.slice(0, -1))
    const refusal = replayLast(db, missing.slice(-1))
    assertGrown(db, frontier)
    db.prepare(SET_POSITION).run(position + missing.length - (refusal === undefined ? 0 : 1))
    return refusal
  })
}

/**
 * Replays the last frame, unless the store refuses a row of it, and returns that refusal. The process that wrote the
 * frame got the same refusal, acknowledged nothing of the frame, and ended before another frame took its place.
 */
function replayLast(db: DatabaseSync, frames: readonly JournalFrame[]): Error | undefined {
  db.exec('SAVEPOINT last_frame')
  try {
    replayFrames(db, frames)
    db.exec('RELEASE last_frame')
    return undefined
  } catch (error) {
    if (!(error instanceof Error && isRowRefusal(error))) throw error
    db.exec('ROLLBACK TO last_frame; RELEASE last_frame')
    return error
  }
}

/** Recomputes the root over the new entries. Throws if it differs from the head that came with them. */
function assertGrown(db: DatabaseSync, frontier: Frontier): void {
  const before = frontier.size
  const added = db.prepare('SELECT leaf FROM leaves WHERE log_index >= ? ORDER BY log_index')
  for (const { leaf } of added.iterate(before)) append(frontier, leafHash(text(leaf)))
  if (Buffer.compare(encodeFrontier(frontier), encodeFrontier(readHead(db).frontier)) !== 0)
    throw new ExpectedFailure(
      `The entries that the journal adds after ${before} do not add up to the head of the log: the data is damaged. ${RESTORE_BACKUP}`,
    )
}
