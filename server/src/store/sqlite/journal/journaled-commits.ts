import type { DatabaseSync } from 'node:sqlite'
import { StoreError } from '../../port/store-error.ts'
import type { Commits } from '../write/commits.ts'
import { writeError } from '../write/write-error.ts'
import { FileTurns } from './file-turns.ts'
import { type EncodedFrame, FrameEncoder } from './frame.ts'
import { FrameWriter, type WrittenFrame } from './frame-writer.ts'
import { JournalFiles, type JournalFilesOptions } from './journal-files.ts'
import { RecordedStatements } from './recorded-statements.ts'
import { SharedTransaction, type TransactionListener } from './shared-transaction.ts'

/** Acknowledged batches stay hidden from other connections for about this long, unless a read needs them. */
const MOST_HIDDEN_MS = 100

export interface JournalOptions extends JournalFilesOptions {
  /** The store's file. */
  readonly file: string
  /** Measures how long batches stay hidden. By default the steady clock of the process. */
  steadyClock?(): number
}

export interface JournalListener extends TransactionListener {
  /** Called when other connections see every batch acknowledged before. */
  onPublished(): void
}

/**
 * Batches become durable in a journal, and share transactions of the store.
 *
 * A batch writes a frame with its statements to the journal. While the disk syncs that, the rows are changed in the
 * open transaction, and the next batch, which sees them, is judged. A batch is acknowledged once its frame is on disk
 * and the store has taken its rows. Now and then the transaction commits, without a sync, and other connections see all
 * of its batches. It commits only when every frame in it is on disk, so no connection sees a change that might be
 * undone. The store is synced before the journal forgets a frame.
 *
 * A crash leaves frames that the store lacks, and the next start replays them. A frame that can't be synced is rejected
 * together with all that were judged after it: the transaction rolls back, and the batches before it are replayed from
 * memory.
 */
export class JournaledCommits implements Commits {
  readonly #listener: JournalListener
  readonly #now_ms: () => number
  readonly #encoder = new FrameEncoder()
  readonly #transaction: SharedTransaction
  readonly #statements: RecordedStatements
  readonly #files: JournalFiles
  readonly #writer: FrameWriter
  readonly #turns: FileTurns
  #hidden_since_ms = 0
  #publishing: Promise<void> | undefined

  /** `db` must hold every frame. Statements prepared later are recorded. */
  constructor(db: DatabaseSync, options: JournalOptions, listener: JournalListener) {
    const { file, steadyClock = () => performance.now() } = options
    this.#listener = listener
    this.#now_ms = steadyClock
    // Created first, so that the statements it prepares aren't recorded.
    this.#transaction = new SharedTransaction(db, this.#encoder, listener)
    this.#statements = new RecordedStatements(db, this.#encoder)
    db.exec('PRAGMA synchronous = NORMAL') // the journal is synced instead
    this.#files = new JournalFiles(file, options)
    this.#writer = new FrameWriter(this.#files, (frame) => this.#undo(frame))
    this.#turns = new FileTurns(db, file, this.#files, this.#encoder)
  }

  begin(): void {
    if (this.#transaction.trouble !== undefined && this.#writer.syncing === undefined) this.#tryToCommit()
    this.#transaction.open()
    this.#statements.record()
  }

  end(): Promise<void> | undefined {
    this.#statements.stop()
    const encoded = this.#encoder.take(this.#transaction.next)
    // A refusal, or a repeated answer, may depend on a batch in flight, so it is sent only once that batch is durable.
    if (encoded === undefined) {
      this.#transaction.endUnchanged()
      return this.#writer.syncing
    }
    const frame = this.#written(encoded)
    if (this.#transaction.is_empty) this.#hidden_since_ms = this.#now_ms()
    this.#transaction.add(frame)
    const durable = this.#writer.sync(frame)
    this.#catchUp(frame, durable)
    return durable
  }

  abort(): void {
    this.#statements.stop()
    this.#statements.drop()
    this.#transaction.rollBack()
  }

  isHidden(): boolean {
    return !this.#transaction.is_empty
  }

  publish(): Promise<void> | undefined {
    // A frame that was taken back may still be syncing, and clearing the files must wait for that, too.
    if (this.#transaction.is_empty && this.#writer.syncing === undefined) return undefined
    this.#publishing ??= this.#publishWhenDurable().finally(() => {
      this.#publishing = undefined
    })
    return this.#publishing
  }

  room(): Promise<void> | undefined {
    if (this.#publishing !== undefined) return ended(this.#publishing)
    if (this.#isDue()) return ended(this.publish())
    const room = this.#writer.room()
    return room === undefined ? undefined : ended(room)
  }

  clear(): void {
    this.#turns.clear()
  }

  close(): void {
    this.#transaction.close()
    this.#turns.close(this.#transaction.is_empty)
  }

  /**
   * Writes a frame, unless the store can't commit and reads could never show it. A batch without changes has no frame.
   */
  #written(frame: EncodedFrame): WrittenFrame {
    try {
      if (this.#transaction.trouble !== undefined) throw this.#transaction.trouble
      return this.#writer.write(frame)
    } catch (error) {
      this.abort()
      throw error
    }
  }

  /** Makes the changes of a batch while its frame is synced. The batch is acknowledged only if the store takes them. */
  #catchUp(frame: WrittenFrame, durable: Promise<void> | undefined): void {
    try {
      this.#statements.catchUp()
    } catch (cause) {
      durable?.catch(() => {}) // nothing else handles it
      this.#undo(frame)
      // A crash before the next frame overwrites this one leaves it. The next start replays it unless a row is refused.
      throw writeError(cause, 'unknown')
    }
  }

  /** Undoes a batch and all batches that were judged after it. */
  #undo(frame: WrittenFrame): void {
    if (!this.#transaction.forgetFrom(frame)) return // it was undone with one before it
    this.#writer.takeBack(frame)
    this.abort()
  }

  #isDue(): boolean {
    if (this.#transaction.is_empty) return false
    return this.#files.is_full || this.#now_ms() - this.#hidden_since_ms >= MOST_HIDDEN_MS
  }

  async #publishWhenDurable(): Promise<void> {
    for (let syncing = this.#writer.syncing; syncing !== undefined; syncing = this.#writer.syncing)
      await ended(syncing)
    if (!this.#transaction.is_empty) this.#commit()
  }

  #tryToCommit(): void {
    try {
      this.#commit()
    } catch (error) {
      if (!(error instanceof StoreError)) throw error
    }
  }

  #commit(): void {
    this.#transaction.commit()
    this.#turns.leaveFullFile()
    this.#listener.onPublished()
  }
}

/** Resolves in either case: the batches concerned learn of a failure in another way. */
async function ended(promise: Promise<unknown> | undefined): Promise<void> {
  await promise?.catch(() => {})
}
