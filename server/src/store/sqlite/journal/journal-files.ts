import { randomBytes } from 'node:crypto'
import {
  closeSync,
  existsSync,
  fdatasync,
  fdatasyncSync,
  fsyncSync,
  ftruncateSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs'
import { dirname } from 'node:path'
import { syncDirectory } from '../sync-directory.ts'
import { type EncodedFrame, type JournalFrame, readFrames, sealFrame, USE_BYTES } from './frame.ts'

/** Names that SQLite gives to no file of its own. */
const SUFFIXES = ['.journal-0', '.journal-1'] as const

/**
 * A file of this size is left as soon as the other one is free. Leaving one costs a commit and a sync of the store, and a
 * start after a crash replays up to two of them.
 */
const FULL_BYTES = 8 * 1024 * 1024

/** Having another thread sync takes about as long. */
const QUICK_SYNC_MS = 0.25
/** The weight of the last sync in the average time of a sync. */
const SHARE_OF_LAST = 1 / 8
/** One sync that takes very long says little about the next. */
const MOST_COUNTED = 4
/** While another thread syncs, one sync in this many is waited for, to learn whether the disk is still slow. */
const PROBED = 16

/** Bytes that no frame begins with. */
const NO_FRAME = new Uint8Array(4)

interface JournalFile {
  readonly descriptor: number
  /** Distinguishes this use of the file from earlier ones. */
  use: Uint8Array
  /** Where the next frame begins. 0: nothing in the file is needed. */
  end: number
  checksum: number
}

export interface JournalFilesOptions {
  /** When a file of the journal is full. By default 8 MiB. */
  readonly journal_file_bytes?: number
  /** A sync that usually takes less than this is waited for. Others are left to another thread. By default 0.25 ms. */
  readonly quick_sync_ms?: number
}

/**
 * The frames that the store may not hold durably, in two files that take turns. Files are not shortened between uses:
 * syncing bytes that are written over is faster than syncing a file that grows.
 */
export class JournalFiles {
  readonly #file: string
  readonly #full_bytes: number
  readonly #files: readonly [JournalFile, JournalFile]
  readonly #quick_ms: number
  /** How long the syncs take that are waited for. For others it would include the work of this thread meanwhile. */
  #usual_ms = 0
  #unprobed = 0
  #current = 0

  constructor(file: string, options: JournalFilesOptions) {
    this.#file = file
    this.#full_bytes = options.journal_file_bytes ?? FULL_BYTES
    this.#quick_ms = options.quick_sync_ms ?? QUICK_SYNC_MS
    this.#files = [opened(file + SUFFIXES[0]), opened(file + SUFFIXES[1])]
    syncDirectory(dirname(file))
  }

  /** Whether the file in use is full, so that its frames should go into the store. */
  get is_full(): boolean {
    return this.#now.end >= this.#full_bytes
  }

  /**
   * Writes a frame behind the last one. A frame that was written in part, or could not be synced, is written over by the
   * next one. Throws if the disk takes no more.
   */
  write(frame: EncodedFrame): void {
    const file = this.#now
    if (file.end === 0) {
      file.use = randomBytes(USE_BYTES)
      file.checksum = 0
    }
    const checksum = sealFrame(frame, file.use, file.checksum)
    for (let written = 0; written < frame.bytes.length; )
      written += writeSync(
        file.descriptor,
        frame.bytes,
        written,
        frame.bytes.length - written,
        file.end + written,
      )
    file.end += frame.bytes.length
    file.checksum = checksum
  }

  /** Resolves when everything that was written is on disk, and rejects if the disk refuses. */
  sync(): Promise<void> {
    return synced(this.#now.descriptor)
  }

  /** The same, if the caller has nothing to do meanwhile. Undefined: it was waited for. Throws or rejects. */
  syncSmall(): Promise<void> | undefined {
    const { descriptor } = this.#now
    if (this.#usual_ms >= this.#quick_ms && this.#unprobed < PROBED) {
      this.#unprobed += 1
      return synced(descriptor)
    }
    const started_ms = performance.now()
    fdatasyncSync(descriptor)
    this.#unprobed = 0
    const counted_ms = Math.min(performance.now() - started_ms, MOST_COUNTED * this.#quick_ms)
    this.#usual_ms += (counted_ms - this.#usual_ms) * SHARE_OF_LAST
    return undefined
  }

  /** Where the next frame begins, to go back to. */
  place(): JournalPlace {
    const { end, checksum } = this.#now
    return { end, checksum }
  }

  goBackTo({ end, checksum }: JournalPlace): void {
    this.#now.end = end
    this.#now.checksum = checksum
  }

  /** Goes back to a place, and spoils the frame there: a start after a crash must not find it. */
  takeBack(place: JournalPlace): void {
    this.goBackTo(place)
    try {
      writeSync(this.#now.descriptor, NO_FRAME, 0, NO_FRAME.length, place.end)
    } catch {
      // The next frame is written over it, if the disk takes one again.
    }
  }

  /** Goes on in the other file if it is free. Returns what frees the file that was left, or undefined. */
  turn(): (() => void) | undefined {
    const left = this.#now
    const other = 1 - this.#current
    if (left.end === 0 || (this.#files[other]?.end ?? 0) > 0) return undefined
    this.#current = other
    return () => {
      left.end = 0
    }
  }

  /** Empties both files, so that no copy of a frame remains. The store holds all of them durably. */
  clear(): void {
    for (const file of this.#files) {
      ftruncateSync(file.descriptor, 0)
      fsyncSync(file.descriptor)
      file.end = 0
    }
  }

  /** Removes the files. The store holds all frames durably. */
  remove(): void {
    this.close()
    for (const suffix of SUFFIXES) rmSync(this.#file + suffix, { force: true })
  }

  /** Closes the files and leaves them to the next start. */
  close(): void {
    for (const { descriptor } of this.#files) closeSync(descriptor)
  }

  get #now(): JournalFile {
    return this.#files[this.#current] ?? this.#files[0]
  }
}

export interface JournalPlace {
  readonly end: number
  readonly checksum: number
}

/** The frames that a process left beside a store, in order. */
export function framesBeside(file: string): JournalFrame[] {
  const found = SUFFIXES.filter((suffix) => existsSync(file + suffix)).map((suffix) =>
    readFrames(readFileSync(file + suffix)),
  )
  const [earlier = [], later = []] = found.sort(([a], [b]) => (a?.number ?? 0) - (b?.number ?? 0))
  // A frame that was taken back as the last of its file goes on in the other one.
  const first = later[0]?.number ?? Number.POSITIVE_INFINITY
  return [...earlier.filter(({ number }) => number < first), ...later]
}

/** Whether a process left something beside a store, or uses it now. */
export function hasJournal(file: string): boolean {
  return SUFFIXES.some((suffix) => existsSync(file + suffix) && statSync(file + suffix).size > 0)
}

export function removeJournal(file: string): void {
  for (const suffix of SUFFIXES) rmSync(file + suffix, { force: true })
  syncDirectory(dirname(file))
}

export function synced(descriptor: number): Promise<void> {
  return new Promise((resolve, reject) => {
    fdatasync(descriptor, (error) => (error === null ? resolve() : reject(error)))
  })
}

function opened(path: string): JournalFile {
  return { descriptor: openSync(path, 'w+', 0o600), use: new Uint8Array(USE_BYTES), end: 0, checksum: 0 }
}
