import { StoreError } from '../../port/store-error.ts'
import { isFullDisk } from '../reserve.ts'
import type { EncodedFrame } from './frame.ts'
import type { JournalFiles, JournalPlace } from './journal-files.ts'

/** The most batches that are being synced, in turn, while the next one is judged. */
const MOST_IN_FLIGHT = 2

/** A frame in the journal. */
export interface WrittenFrame extends EncodedFrame {
  /** Where the journal continues if this frame can't be synced. */
  readonly place: JournalPlace
}

/** Writes frames to the journal and syncs them in order. A crash leaves those that were synced, and perhaps later ones. */
export class FrameWriter {
  readonly #files: JournalFiles
  readonly #onUnsynced: (frame: WrittenFrame) => void
  #inFlight = 0
  /** Resolves when the last frame is on disk. */
  #durable: Promise<void> = Promise.resolve()
  /** The same for the frame before it. */
  #durableBefore: Promise<void> = this.#durable

  /** `onUnsynced` undoes a frame that could not be synced, before any caller learns of it. */
  constructor(files: JournalFiles, onUnsynced: (frame: WrittenFrame) => void) {
    this.#files = files
    this.#onUnsynced = onUnsynced
  }

  /** Resolves when every frame is on disk, or rejects like the sync that failed. Undefined if they all are. */
  get syncing(): Promise<void> | undefined {
    return this.#inFlight > 0 ? this.#durable : undefined
  }

  /** Settles when another frame may be synced, however the sync before it ends. Undefined if one may be at once. */
  room(): Promise<void> | undefined {
    return this.#inFlight < MOST_IN_FLIGHT ? undefined : this.#durableBefore
  }

  write(frame: EncodedFrame): WrittenFrame {
    const place = this.#files.place()
    try {
      this.#files.write(frame)
    } catch (cause) {
      this.#files.goBackTo(place)
      throw new StoreError('the journal could not be written', 'nothing_written', cause, isFullDisk(cause))
    }
    return { ...frame, place }
  }

  /** Syncs the frame that was written last. Undefined if it is on disk already. */
  sync(frame: WrittenFrame): Promise<void> | undefined {
    // One sync at a time: of two concurrent ones, one may get an error that concerns what the other wrote.
    const synced =
      this.#inFlight > 0 ? this.#durable.then(() => this.#files.syncElsewhere()) : this.#syncNow(frame)
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

  /** Lets the next frame overwrite this one. */
  takeBack({ place }: WrittenFrame): void {
    this.#files.takeBack(place)
  }

  #syncNow(frame: WrittenFrame): Promise<void> | undefined {
    try {
      return this.#files.sync()
    } catch (cause) {
      throw this.#unsynced(frame, cause)
    }
  }

  #unsynced(frame: WrittenFrame, cause: unknown): StoreError {
    this.#onUnsynced(frame)
    if (cause instanceof StoreError) return cause
    return new StoreError('the journal could not be synced', 'unknown', cause, isFullDisk(cause))
  }
}
