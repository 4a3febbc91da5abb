import { closeSync, fdatasyncSync, openSync } from 'node:fs'
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { StoreError } from '../../port.ts'
import { beginWriting, type Commits } from '../commits.ts'
import { isFullDisk } from '../reserve.ts'
import { emptyLog } from '../scrub.ts'
import { writeError } from '../write-error.ts'
import { type EncodedFrame, FrameEncoder } from './frame.ts'
import { JournalFiles, type JournalFilesOptions, type JournalPlace, synced } from './journal-files.ts'
import { RecordedStatements } from './recorded-statements.ts'
import { journalPosition, replayFrames, SET_POSITION } from './replay.ts'

/** Batches that are being synced, one after another, while the next one is judged. */
const MOST_IN_FLIGHT = 2
/** The changes of a smaller frame are made sooner than another thread could sync it. */
const SMALL_FRAME_BYTES = 6 * 1024
/** Acknowledged batches stay hidden from other connections for about this long, unless a read needs them. */
const MOST_HIDDEN_MS = 100

/** A batch in the open transaction. */
interface WrittenFrame extends EncodedFrame {
  /** Where the journal goes on if this frame cannot be synced. */
  readonly place: JournalPlace
}

export interface JournalOptions extends JournalFilesOptions {
  /** The store. */
  readonly file: string
  /** Measures how long batches stay hidden. By default the steady clock of the process. */
  steadyClock?(): number
}

export interface JournalListener {
  /** What batches put into caches is not in the store. It reads nothing: the store may be unreadable. */
  onUndone(): void
  /** The transaction commits next. What was only recorded has to be written. */
  onCommit(): void
  /** Other connections see every batch that was acknowledged before. */
  onPublished(): void
}

/**
 * Batches become durable in a journal, and share transactions of the store.
 *
 * A batch changes rows in the open transaction and writes a frame with its statements to the journal. While a slow disk syncs
 * that, the next batch is judged: it sees the rows. A batch is acknowledged once its frame is on disk. Now and then the
 * transaction commits, without a sync, and other connections see all of its batches. It commits only when every frame in it
 * is on disk, so nobody ever sees a change that might be undone. The store is synced before the journal forgets a frame.
 *
 * A crash leaves frames that the store lacks, and the next start replays them. A frame that cannot be synced is refused with
 * all that were judged after it: the transaction rolls back, and the batches before it are replayed from memory.
 */
export class JournaledCommits implements Commits {
  readonly #db: DatabaseSync
  readonly #listener: JournalListener
  readonly #now_ms: () => number
  readonly #encoder = new FrameEncoder()
  readonly #statements: RecordedStatements
  readonly #files: JournalFiles
  /** The write-ahead log of the store, to sync it without the writer having to wait. */
  readonly #log: number
  readonly #setPosition: StatementSync
  #last: number
  /** The frames in the open transaction, oldest first. */
  #frames: WrittenFrame[] = []
  #inFlight = 0
  /** Resolves when the last frame is on disk. */
  #durable: Promise<void> = Promise.resolve()
  /** As it was one frame earlier. */
  #durableBefore: Promise<void> = this.#durable
  #hidden_since_ms = 0
  #publishing: Promise<void> | undefined
  /** Why the open transaction could not be committed. */
  #trouble: StoreError | undefined
  /** Forgets the frames that are in the store, once that is synced. */
  #free: (() => void) | undefined
  #isFreeing = false
  /** Whether a sync of the write-ahead log failed since it was emptied. */
  #isDoubtful = false

  /** `db` must hold every frame. Statements that are prepared later are recorded. */
  constructor(db: DatabaseSync, options: JournalOptions, listener: JournalListener) {
    const { file, steadyClock = () => performance.now() } = options
    this.#db = db
    this.#listener = listener
    this.#now_ms = steadyClock
    this.#last = journalPosition(db)
    this.#setPosition = db.prepare(SET_POSITION)
    this.#statements = new RecordedStatements(db, this.#encoder)
    db.exec('PRAGMA synchronous = NORMAL') // the journal is synced instead
    this.#log = openSync(`${file}-wal`, 'r+')
    this.#files = new JournalFiles(file, options)
  }

  begin(): void {
    if (this.#trouble !== undefined && this.#inFlight === 0) this.#tryToCommit()
    this.#open()
    this.#statements.record()
  }

  end(): Promise<void> | undefined {
    this.#statements.stop()
    const encoded = this.#encoder.take(this.#last + 1)
    if (encoded === undefined) return this.#endWithoutChanges()
    // What reads could never be shown is not accepted. Whoever writes nothing is answered.
    if (this.#trouble !== undefined) return this.#refuse(this.#trouble)
    const place = this.#files.place()
    try {
      this.#files.write(encoded)
    } catch (cause) {
      this.#files.goBackTo(place)
      const why = 'the journal could not be written'
      return this.#refuse(new StoreError(why, 'nothing_written', cause, isFullDisk(cause)))
    }
    const frame = { ...encoded, place }
    const durable = this.#add(frame)
    this.#catchUp(frame, durable)
    return durable
  }

  abort(): void {
    this.#statements.stop()
    this.#statements.drop()
    this.#encoder.discard()
    if (this.#db.isTransaction) this.#db.exec('ROLLBACK')
    this.#listener.onUndone()
  }

  isHidden(): boolean {
    return this.#frames.length > 0
  }

  publish(): Promise<void> | undefined {
    if (this.#frames.length === 0) return undefined
    this.#publishing ??= this.#publishWhenDurable().finally(() => {
      this.#publishing = undefined
    })
    return this.#publishing
  }

  room(): Promise<void> | undefined {
    if (this.#publishing !== undefined) return settled(this.#publishing)
    if (this.#isDue()) return settled(this.publish())
    return this.#inFlight < MOST_IN_FLIGHT ? undefined : settled(this.#durableBefore)
  }

  clear(): void {
    this.#encoder.forgetTexts()
    this.#files.clear()
    this.#free = undefined
  }

  /** Removes the journal if the store holds all of it. Otherwise the next start needs it. */
  close(): void {
    if (this.#db.isTransaction) this.#db.exec('ROLLBACK')
    try {
      // A sync that is under way may be told of the failure that the next one would be told of.
      const isDoubtful = this.#isDoubtful || this.#isFreeing
      if (this.#frames.length > 0 || (isDoubtful && !emptyLog(this.#db))) this.#files.close()
      else {
        fdatasyncSync(this.#log)
        this.#files.remove()
      }
    } finally {
      closeSync(this.#log)
    }
  }

  /** Whoever is refused, or answered again, because of a batch in flight is told so only once that is durable. */
  #endWithoutChanges(): Promise<void> | undefined {
    if (this.#frames.length === 0) this.#db.exec('COMMIT')
    return this.#inFlight > 0 ? this.#durable : undefined
  }

  #refuse(error: StoreError): never {
    this.abort()
    throw error
  }

  #tryToCommit(): void {
    try {
      this.#commit()
    } catch (error) {
      if (!(error instanceof StoreError)) throw error
    }
  }

  /** Begins a transaction, with the batches that the last one lost. */
  #open(): void {
    if (this.#db.isTransaction) return
    beginWriting(this.#db)
    try {
      replayFrames(
        this.#db,
        this.#frames.map((frame) => this.#encoder.read(frame)),
      )
    } catch (cause) {
      this.abort()
      throw new StoreError('the store could not be written', 'nothing_written', cause)
    }
  }

  /** Undefined if the frame is on disk. */
  #add(frame: WrittenFrame): Promise<void> | undefined {
    if (this.#frames.length === 0) this.#hidden_since_ms = this.#now_ms()
    this.#frames.push(frame)
    this.#last = frame.number
    // One sync at a time: of two at once, one may be told of a failure that concerns what the other one wrote.
    const synced = this.#inFlight > 0 ? this.#durable.then(() => this.#files.sync()) : this.#syncAfter(frame)
    if (synced === undefined) return undefined
    this.#inFlight += 1
    this.#durableBefore = this.#durable
    this.#durable = synced.then(
      () => {
        this.#inFlight -= 1
      },
      (cause) => {
        this.#inFlight -= 1
        throw this.#unsynced(frame, cause)
      },
    )
    return this.#durable
  }

  /** Makes the changes of a batch while its frame is synced. It is acknowledged only if the store takes them. */
  #catchUp(frame: WrittenFrame, durable: Promise<void> | undefined): void {
    try {
      this.#statements.catchUp()
    } catch (cause) {
      durable?.catch(() => {}) // nobody waits for it
      this.#undo(frame)
      // A crash before the next frame is written over this one leaves it; only a row that was refused stays out then.
      throw writeError(cause, 'unknown')
    }
  }

  #syncAfter(frame: WrittenFrame): Promise<void> | undefined {
    try {
      return frame.bytes.length < SMALL_FRAME_BYTES ? this.#files.syncSmall() : this.#files.sync()
    } catch (cause) {
      throw this.#unsynced(frame, cause)
    }
  }

  #unsynced(frame: WrittenFrame, cause: unknown): StoreError {
    this.#undo(frame)
    if (cause instanceof StoreError) return cause
    return new StoreError('the journal could not be synced', 'unknown', cause, isFullDisk(cause))
  }

  /** Undoes a batch and all that were judged after it. */
  #undo({ number, place }: WrittenFrame): void {
    const index = this.#frames.findIndex((frame) => frame.number === number)
    if (index === -1) return // it went with one before it
    this.#frames.length = index
    this.#last = number - 1
    this.#files.goBackTo(place)
    this.abort()
  }

  #isDue(): boolean {
    if (this.#frames.length === 0) return false
    return this.#files.is_full || this.#now_ms() - this.#hidden_since_ms >= MOST_HIDDEN_MS
  }

  async #publishWhenDurable(): Promise<void> {
    while (this.#inFlight > 0) await settled(this.#durable)
    if (this.#frames.length > 0) this.#commit()
  }

  /** Commits the open transaction, whose frames are all on disk. */
  #commit(): void {
    this.#open()
    try {
      this.#listener.onCommit()
      this.#setPosition.run(this.#last)
      this.#db.exec('COMMIT')
    } catch (cause) {
      this.abort()
      this.#trouble = new StoreError('the commit failed', 'nothing_written', cause)
      throw this.#trouble
    }
    this.#trouble = undefined
    this.#frames = []
    this.#leaveFullFile()
    this.#listener.onPublished()
  }

  /** Leaves a file that is full. Once the store is synced, it can be used again. */
  #leaveFullFile(): void {
    if (this.#free === undefined && this.#files.is_full) {
      this.#free = this.#files.turn()
      if (this.#free !== undefined) this.#encoder.forgetTexts()
    }
    if (this.#free === undefined || this.#isFreeing) return
    // After a failed sync, another one says nothing about the same pages: they are copied into the file of the store.
    if (this.#isDoubtful) this.#isDoubtful = !emptyLog(this.#db)
    if (this.#isDoubtful) return
    this.#isFreeing = true
    const free = this.#free
    void synced(this.#log).then(
      () => {
        this.#isFreeing = false
        // After a scrub, another file may have been left, whose frames this sync says nothing about.
        if (this.#free !== free) return
        free()
        this.#free = undefined
      },
      () => {
        this.#isFreeing = false
        this.#isDoubtful = true
      },
    )
  }
}

/** Resolves in either case: whoever is concerned is told by another way. */
async function settled(promise: Promise<unknown> | undefined): Promise<void> {
  await promise?.catch(() => {})
}
