import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { StoreError } from '../../port/store-error.ts'
import { beginWriting } from '../write/commits.ts'
import type { FrameEncoder } from './frame.ts'
import type { WrittenFrame } from './frame-writer.ts'
import { journalPosition, replayFrames, SET_POSITION } from './replay.ts'

export interface TransactionListener {
  /** Called when changes in caches were undone in the store. Must not read, because the store may be unreadable. */
  onUndone(): void
  /** Called before the transaction commits. Must make the changes that were only recorded. */
  onCommit(): void
}

/**
 * The store's transaction, which batches share. A rollback loses their rows but keeps their frames, which the next
 * transaction replays from memory.
 */
export class SharedTransaction {
  readonly #db: DatabaseSync
  readonly #encoder: FrameEncoder
  readonly #listener: TransactionListener
  readonly #setPosition: StatementSync
  #last: number
  /** The frames of its batches, oldest first. */
  #frames: WrittenFrame[] = []
  #trouble: StoreError | undefined

  constructor(db: DatabaseSync, encoder: FrameEncoder, listener: TransactionListener) {
    this.#db = db
    this.#encoder = encoder
    this.#listener = listener
    this.#last = journalPosition(db)
    this.#setPosition = db.prepare(SET_POSITION)
  }

  get is_empty(): boolean {
    return this.#frames.length === 0
  }

  /** The number of the next frame. */
  get next(): number {
    return this.#last + 1
  }

  /** Why the transaction could not be committed. */
  get trouble(): StoreError | undefined {
    return this.#trouble
  }

  /** Begins a transaction with the batches that the last one lost, unless one is open. */
  open(): void {
    if (this.#db.isTransaction) return
    beginWriting(this.#db)
    try {
      replayFrames(
        this.#db,
        this.#frames.map((frame) => this.#encoder.read(frame)),
      )
    } catch (cause) {
      this.rollBack()
      throw new StoreError('the store could not be written', 'nothing_written', cause)
    }
  }

  /** Adds the frame of a batch. Its rows follow at once. */
  add(frame: WrittenFrame): void {
    this.#frames.push(frame)
    this.#last = frame.number
  }

  /** Forgets a frame and all added after it. False if it was forgotten already. Their rows last until the rollback. */
  forgetFrom(frame: WrittenFrame): boolean {
    const index = this.#frames.indexOf(frame) // not by its number, which the next frame gets after a rollback
    if (index === -1) return false
    this.#frames.length = index
    this.#last = frame.number - 1
    return true
  }

  /** Call it when all frames are on disk. A crash before the commit leaves frames that the next start replays. */
  commit(): void {
    this.open()
    try {
      this.#listener.onCommit()
      this.#setPosition.run(this.#last)
      this.#db.exec('COMMIT')
    } catch (cause) {
      this.rollBack()
      this.#trouble = new StoreError('the commit failed', 'nothing_written', cause)
      throw this.#trouble
    }
    this.#trouble = undefined
    this.#frames = []
  }

  /** Ends a transaction without frames, in which nothing changed. */
  endUnchanged(): void {
    if (this.is_empty) this.#db.exec('COMMIT')
  }

  rollBack(): void {
    this.#encoder.discard()
    this.close()
    this.#listener.onUndone()
  }

  close(): void {
    if (this.#db.isTransaction) this.#db.exec('ROLLBACK')
  }
}
