import { copyFileSync, existsSync, mkdtempSync, renameSync, rmSync, statSync, truncateSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Lane } from '@deputize/protocol'
import { writeEmptyStore } from '@deputize/testing/empty-store.ts'
import type { ManualClock } from '@deputize/testing/manual-clock.ts'
import type { SeededDraw } from '@deputize/testing/seeded-draw.ts'
import type { Command } from '../../src/clerk/command.ts'
import { type BatchResult, runBatch } from '../../src/clerk/run-batch.ts'
import { openKeyRing } from '../../src/keys/key-ring.ts'
import { StoreError } from '../../src/store/port.ts'
import { type SqliteWriteStore, sqliteWriteStore } from '../../src/store/sqlite/write-store.ts'
import { failAtStatement, repairDisk } from './failing-disk.ts'
import { loseSector, tornCheckpoint } from './lost-writes.ts'

/**
 * What happens to a batch. Lost: the process dies before it begins. Torn: it dies while it commits or before it answers,
 * and of what it wrote since the last commit any number of bytes has reached the disk. Aborted: one of its statements
 * fails, and the process goes on. Full: the disk has no room but the reserve.
 */
export type Fault = 'none' | 'lost' | 'torn' | 'aborted' | 'full'

/** How many of the starts after a crash are ended by another one. */
const TORN_STARTS = 0.05

/** About as many as a small batch needs. */
const STATEMENTS = 16

/** The real batch and the real writer of SQLite, on a disk that forgets what was not synced when the process dies. */
export class SimulatedNode {
  readonly directory: string = mkdtempSync(
    join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'deputy-sim-'),
  )
  readonly #file = join(this.directory, 'deputy.db')
  readonly #log = `${this.#file}-wal`
  readonly #clock: ManualClock
  readonly #keys: { readonly instance: string; readonly vault_key: Uint8Array }
  #store: SqliteWriteStore
  #isFull = false
  crashes = 0

  constructor(clock: ManualClock) {
    this.#clock = clock
    this.#keys = openKeyRing(this.directory, clock(), true)
    writeEmptyStore(this.#file)
    this.#store = this.#open()
  }

  /** Runs a batch with a fault. What is drawn says how much of what was not synced survives. */
  async execute(
    commands: readonly Command[],
    lane: Lane | undefined,
    fault: Fault,
    draw: SeededDraw,
  ): Promise<BatchResult> {
    const synced = this.#logSize()
    if (fault === 'lost') return this.#die(synced, draw)
    this.#isFull = fault === 'full'
    if (fault === 'aborted' || fault === 'full')
      failAtStatement(draw.between(1, STATEMENTS), this.#isFull ? 'full' : 'broken')
    const result = await runBatch(this.#store, commands, raise, lane).finally(repairDisk)
    if (fault === 'torn') return this.#die(draw.between(synced, this.#logSize()), draw, synced)
    return result
  }

  close(): void {
    void this.#store.close()
  }

  remove(): void {
    rmSync(this.directory, { recursive: true, force: true })
  }

  #open(): SqliteWriteStore {
    const reserve = { release: () => this.#isFull, restore: () => !this.#isFull }
    return sqliteWriteStore({
      file: this.#file,
      ...this.#keys,
      clock: this.#clock,
      reserve,
      defers_sums: true,
    })
  }

  #logSize(): number {
    return existsSync(this.#log) ? statSync(this.#log).size : 0
  }

  /** Ends the process and starts the next one on what the disk holds. */
  #die(kept_bytes: number, draw: SeededDraw, synced = kept_bytes): never {
    const file = `${this.#file}.kept`
    const log = `${this.#log}.kept`
    copyFileSync(this.#file, file)
    const hasLog = existsSync(this.#log)
    if (hasLog) {
      copyFileSync(this.#log, log)
      truncateSync(log, kept_bytes)
      // A disk may write sectors in any order.
      if (draw.chance(0.3)) loseSector(log, synced, draw)
    }
    failAtStatement(1, 'broken') // a dead process writes nothing more
    void this.#store.close()
    repairDisk()
    renameSync(file, this.#file)
    if (hasLog) renameSync(log, this.#log)
    if (hasLog && draw.chance(TORN_STARTS)) {
      tornCheckpoint(this.#file, draw, () => this.#open())
      this.crashes += 1
    }
    this.#store = this.#open()
    this.crashes += 1
    throw new StoreError('the process died', 'unknown', undefined)
  }
}

function raise(cause: unknown): never {
  throw cause
}
