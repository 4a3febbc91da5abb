import { randomFillSync } from 'node:crypto'
import {
  closeSync,
  existsSync,
  fsyncSync,
  openSync,
  renameSync,
  rmSync,
  statfsSync,
  unlinkSync,
  writeSync,
} from 'node:fs'

const RESERVE_MIB = 8
/** A failed attempt fills the disk for a moment, so attempts are rare. */
const RESTORE_EVERY_MS = 1_000
/** SQLite needs less than this to open a store. */
const OPENING_BYTES = 1024 * 1024
const CHUNK = new Uint8Array(1024 * 1024)

/**
 * A file that only takes up space, so that a full disk still has room to stop an agent. Its existence is the whole state:
 * every thread of the process can release it, and the writer accepts ordinary changes only while it is in place.
 */
export interface Reserve {
  /** Deletes the file. False if it was released before. */
  release(): boolean
  /**
   * Writes the file again if it is missing. False while the disk has no room for it. Throws if that fails otherwise.
   */
  restore(): boolean
}

export function openReserve(file: string): Reserve {
  let failed_at_ms = Number.NEGATIVE_INFINITY
  /** Why the last attempt failed, if the disk was not full. */
  let trouble: unknown

  function refused(): false {
    if (trouble !== undefined) throw trouble
    return false
  }

  return {
    release() {
      try {
        unlinkSync(file) // names what a read-only disk refuses, which rmSync doesn't
        return true
      } catch (error) {
        if (hasCode(error, ['ENOENT'])) return false
        throw error
      }
    },
    restore() {
      if (existsSync(file)) return true
      if (performance.now() - failed_at_ms < RESTORE_EVERY_MS) return refused()
      try {
        fill(`${file}.new`)
        renameSync(`${file}.new`, file) // a crash before this leaves no reserve, and the next attempt starts over
        return true
      } catch (error) {
        rmSync(`${file}.new`, { force: true })
        failed_at_ms = performance.now()
        trouble = isOutOfSpace(error) ? undefined : error
        return refused()
      }
    },
  }
}

/** Releases the reserve if the disk is too full to open the store, so that agents can still be stopped. */
export function makeRoomToOpen(directory: string, reserve: Reserve): void {
  if (hasNoSpace(directory)) reserve.release()
}

/** Whether the disk is too full to open a store in this directory. */
export function hasNoSpace(directory: string): boolean {
  try {
    const { bavail, bsize } = statfsSync(directory)
    return bavail * bsize < OPENING_BYTES
  } catch {
    return false
  }
}

/** Writes random bytes, because a file system that compresses would store zeros without using any space. */
function fill(file: string): void {
  const descriptor = openSync(file, 'w', 0o600)
  try {
    for (let written = 0; written < RESERVE_MIB; written++) {
      randomFillSync(CHUNK)
      if (writeSync(descriptor, CHUNK) < CHUNK.length) throw new NoSpace()
    }
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}

/** A disk with a little space left accepts only part of a write. */
class NoSpace extends Error {
  override readonly name = 'NoSpace'
  readonly code = 'ENOSPC'
}

export function isOutOfSpace(error: unknown): boolean {
  return hasCode(error, OUT_OF_SPACE)
}

/** Whether freeing space on the disk would help. It wouldn't if the file may not grow. */
export function isFullDisk(error: unknown): boolean {
  return hasCode(error, FULL_DISK)
}

function hasCode(error: unknown, codes: readonly string[]): boolean {
  return error instanceof Error && 'code' in error && codes.includes(String(error.code))
}

const FULL_DISK: readonly string[] = ['ENOSPC', 'EDQUOT']
const OUT_OF_SPACE: readonly string[] = [...FULL_DISK, 'EFBIG']
