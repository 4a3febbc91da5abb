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

/** SQLite doesn't use these names for its own files. */
const SUFFIXES = ['.journal-0', '.journal-1'] as const

/**
 * A file of this size is left as soon as the other one is free. Leaving one costs a commit and a sync of the store, and
 * a start after a crash replays up to two files.
 */
const FULL_BYTES = 8 * 1024 * 1024

/** About the overhead of a sync on another thread. */
const QUICK_SYNC_MS = 0.25
/**
 * The weight of the last sync in the usual time of a sync. What a busy machine adds to a sync says nothing about the
 * disk, so a shorter time counts for more.
 */
const SHARE_OF_LAST = { shorter: 1 / 2, longer: 1 / 16 }
/** One very long sync says little about the next, so it counts as at most this many times `quick_sync_ms`. */
const MOST_COUNTED = 4
/** While another thread syncs, one sync in this many is done here, to learn whether the disk is still slow. */
const PROBED = 16

/** Bytes that no frame begins with. */
const NO_FRAME = new Uint8Array(4)

interface JournalFile {
  readonly descriptor: number
  /** Distinguishes this use of the file from earlier ones. */
  use: Uint8Array
  /** Where the next frame begins. 0 if nothing in the file is needed. */
  end: number
  checksum: number
}

export interface JournalFilesOptions {
  /** The size at which a file of the journal is full; by default 8 MiB. */
  readonly journal_file_bytes?: number
  /** Syncs that usually take less than this are done in place, others in another thread. By default 0.25 ms. */
  readonly quick_sync_ms?: number
}

/**
 * The frames that the store may not hold durably, in two files that take turns. Files aren't shortened between uses,
 * because syncing overwritten bytes is faster than syncing a file that grows.
 */
export class JournalFiles {
  readonly #file: string
  readonly #full_bytes: number
  readonly #files: readonly [JournalFile, JournalFile]
  readonly #quick_ms: number
  /** How long syncs on this thread take. For others, this would include the work that this thread does meanwhile. */
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
   * Writes a frame after the last one. The next frame overwrites one that was written in part or could not be synced.
   * Throws if the disk takes no more.
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

  /** Syncs in another thread. Resolves when everything written is on disk, and rejects if the disk refuses. */
  syncElsewhere(): Promise<void> {
    return synced(this.#now.descriptor)
  }

  /** Syncs on this thread if that is usually quick, and returns undefined. Throws or rejects if the disk refuses. */
  sync(): Promise<void> | undefined {
    if (this.#usual_ms >= this.#quick_ms && this.#unprobed < PROBED) {
      this.#unprobed += 1
      return this.syncElsewhere()
    }
    const started_ms = performance.now()
    fdatasyncSync(this.#now.descriptor)
    this.#unprobed = 0
    const counted_ms = Math.min(performance.now() - started_ms, MOST_COUNTED * this.#quick_ms)
    const longer_ms = counted_ms - this.#usual_ms
    this.#usual_ms += longer_ms * (longer_ms < 0 ? SHARE_OF_LAST.shorter : SHARE_OF_LAST.longer)
    return undefined
  }

  /** Returns where the next frame begins, for `goBackTo`. */
  place(): JournalPlace {
    const { end, checksum } = this.#now
    return { end, checksum }
  }

  goBackTo({ end, checksum }: JournalPlace): void {
    this.#now.end = end
    this.#now.checksum = checksum
  }

  /** Goes back to a place, and spoils the frame there, so that a start after a crash doesn't find it. */
  takeBack(place: JournalPlace): void {
    this.goBackTo(place)
    try {
      writeSync(this.#now.descriptor, NO_FRAME, 0, NO_FRAME.length, place.end)
    } catch {
      // The next frame overwrites it, if the disk takes one again.
    }
  }

  /** Continues in the other file if it is free. Returns a function that frees the file that was left, or undefined. */
  turn(): (() => void) | undefined {
    const left = this.#now
    const other = 1 - this.#current
    if (left.end === 0 || (this.#files[other]?.end ?? 0) > 0) return undefined
    this.#current = other
    return () => {
      left.end = 0
    }
  }

  /** Empties both files, so that no copy of a frame remains. The store must hold all of them durably. */
  clear(): void {
    for (const file of this.#files) {
      ftruncateSync(file.descriptor, 0)
      fsyncSync(file.descriptor)
      file.end = 0
    }
  }

  /** Removes the files. The store must hold all frames durably. */
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

/** Returns the frames that a process left next to a store, in order. */
export function framesBeside(file: string): JournalFrame[] {
  const found = SUFFIXES.filter((suffix) => existsSync(file + suffix)).map((suffix) =>
    readFrames(readFileSync(file + suffix)),
  )
  const [earlier = [], later = []] = found.sort(([a], [b]) => (a?.number ?? 0) - (b?.number ?? 0))
  // If the last frame of a file was taken back, the other file may begin with its number.
  const first = later[0]?.number ?? Number.POSITIVE_INFINITY
  return [...earlier.filter(({ number }) => number < first), ...later]
}

/** Whether a process left frames next to a store, or is using the journal now. */
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
