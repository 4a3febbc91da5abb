import { closeSync, fdatasyncSync, openSync } from 'node:fs'
import type { DatabaseSync } from 'node:sqlite'
import { emptyLog } from '../write/scrub.ts'
import type { FrameEncoder } from './frame.ts'
import { type JournalFiles, synced } from './journal-files.ts'

/** Makes the journal leave a full file, and use it again once the store holds its frames durably. */
export class FileTurns {
  readonly #db: DatabaseSync
  readonly #files: JournalFiles
  readonly #encoder: FrameEncoder
  /** The store's write-ahead log, which is synced without blocking the writer. */
  readonly #log: number
  /** Forgets the frames in the full file. Called once the store is synced. */
  #free: (() => void) | undefined
  #isSyncing = false
  /** Whether a sync of the write-ahead log has failed since it was emptied. */
  #isDoubtful = false

  constructor(db: DatabaseSync, file: string, files: JournalFiles, encoder: FrameEncoder) {
    this.#db = db
    this.#files = files
    this.#encoder = encoder
    this.#log = openSync(`${file}-wal`, 'r+')
  }

  /** Call it after a commit, when the store holds every frame, though not durably yet. */
  leaveFullFile(): void {
    if (this.#free === undefined && this.#files.is_full) {
      this.#free = this.#files.turn()
      if (this.#free !== undefined) this.#encoder.forgetTexts()
    }
    if (this.#free === undefined || this.#isSyncing) return
    // After a failed sync, another one says nothing about the same pages, so they are copied into the store's file.
    if (this.#isDoubtful) this.#isDoubtful = !emptyLog(this.#db)
    if (!this.#isDoubtful) this.#syncToFree(this.#free)
  }

  /** Forgets every frame. The store's file must hold all of them. */
  clear(): void {
    this.#encoder.forgetTexts()
    this.#files.clear()
    this.#free = undefined
  }

  /** Removes the journal if the store holds all of it. Otherwise the next start needs it. */
  close(isCommitted: boolean): void {
    try {
      // A sync in progress may consume the error that the next one would otherwise report.
      const isDoubtful = this.#isDoubtful || this.#isSyncing
      if (!isCommitted || (isDoubtful && !emptyLog(this.#db))) this.#files.close()
      else {
        fdatasyncSync(this.#log)
        this.#files.remove()
      }
    } finally {
      closeSync(this.#log)
    }
  }

  #syncToFree(free: () => void): void {
    this.#isSyncing = true
    void synced(this.#log).then(
      () => {
        this.#isSyncing = false
        // After a scrub, another file may have been left, and this sync says nothing about its frames.
        if (this.#free !== free) return
        free()
        this.#free = undefined
      },
      () => {
        this.#isSyncing = false
        this.#isDoubtful = true
      },
    )
  }
}
