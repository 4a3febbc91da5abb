import { existsSync, mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Lane } from '@deputize/protocol'
import { writeEmptyStore } from '@deputize/testing/empty-store.ts'
import type { ManualClock } from '@deputize/testing/manual-clock.ts'
import { type SeededDraw, seededDraw } from '@deputize/testing/seeded-draw.ts'
import type { Command } from '../../src/clerk/command.ts'
import { type BatchResult, runBatch } from '../../src/clerk/run-batch.ts'
import { openKeyRing } from '../../src/keys/key-ring.ts'
import { StoreError } from '../../src/store/port/store-error.ts'
import { type SqliteWriteStore, sqliteWriteStore } from '../../src/store/sqlite/write/write-store.ts'
import { FailingDisk, isSimulated } from './failing-disk.ts'

/**
 * What happens when a batch begins. Dies: the process ends in one of its next steps. Fails: one of these steps fails,
 * and the process continues. Full: the same, because the disk has no space except for the reserve.
 */
export type Fault = 'none' | 'dies' | 'fails' | 'full'

/** What the process does before a batch: what a read requests, what it does when idle, or a checkpoint. */
export type Errand = 'none' | 'publishes' | 'settles' | 'checkpoints'

export interface BatchEvent {
  readonly fault: Fault
  readonly errand: Errand
  readonly passed_ms: number
}

/** Share of the starts after a crash that another crash ends. */
const TORN_STARTS = 0.1
/** About the number of steps that a start needs. */
const STEPS_OF_START = 120
/** About the number of steps that a small batch needs. */
const STEPS_OF_BATCH = 40
/** How many of these steps write or sync. */
const WRITES_OF_BATCH = 5
const WRITES_OF_START = 8
/** So small that the journal changes files every few batches. */
const JOURNAL_FILE_BYTES = 8 * 1024

/** A process, from its start to its end. */
interface Life {
  /** Resolves when the next batch may begin. */
  turn: Promise<void>
  readonly died: PromiseWithResolvers<never>
}

/** Real batches and the real SQLite writer with its journal, on a disk that forgets what wasn't synced. */
export class SimulatedNode {
  readonly directory: string = mkdtempSync(
    join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'deputy-sim-'),
  )
  readonly #file = join(this.directory, 'deputy.db')
  readonly #clock: ManualClock
  readonly #keys: { readonly instance: string; readonly vault_key: Uint8Array }
  readonly #disk: FailingDisk
  #draw: SeededDraw
  #store: SqliteWriteStore
  #life: Life = aLife(Promise.resolve())
  #isStarting = false
  #hasReserve = true
  #steady_ms = 0
  /** Another connection, which moves pages as the checkpoint thread does, and reads. */
  #other: DatabaseSync | undefined
  /** The size of the log that the other connection has seen. */
  #seen = 0
  /** The last acknowledged record. */
  #acknowledged: string | undefined
  /** The first thing that happened and must not happen. */
  failure: unknown
  crashes = 0

  constructor(clock: ManualClock, seed: number) {
    this.#clock = clock
    this.#keys = openKeyRing(this.directory, clock(), true)
    this.#draw = seededDraw(seed)
    writeEmptyStore(this.#file)
    this.#disk = new FailingDisk(this.#file, this.#draw, () => this.#die())
    this.#store = this.#open()
  }

  /** Sets the source of everything random from now on. */
  drawFrom(draw: SeededDraw): void {
    this.#draw = draw
    this.#disk.drawFrom(draw)
  }

  /** Makes nothing fail from now on. */
  repair(): void {
    this.#disk.repair()
  }

  /**
   * Runs a batch as the writing thread does: it begins when the store has room, even if earlier ones aren't durable
   * yet. If the process dies, all its batches are refused.
   */
  execute(commands: readonly Command[], lane: Lane | undefined, event: BatchEvent): Promise<BatchResult> {
    const life = this.#life
    const begun = life.turn.then(() => this.#begin(life, commands, lane, event))
    life.turn = begun.then(ignore, ignore)
    return Promise.race([life.died.promise, begun.then(({ answer }) => answer)])
  }

  async close(): Promise<void> {
    await this.#life.turn
    this.#other?.close()
    await this.#store.close()
    this.#disk.close()
  }

  async #begin(life: Life, commands: readonly Command[], lane: Lane | undefined, event: BatchEvent) {
    this.#steady_ms += event.passed_ms
    if (life === this.#life) await this.#store.room()
    if (life === this.#life) await this.#run(event.errand)
    if (life === this.#life) this.#meet(event.fault)
    if (life !== this.#life) return { answer: life.died.promise }
    const answer = runBatch(this.#store, commands, (cause) => this.#reportBug(cause), lane)
    answer.then(
      (result) => this.#remember(life, result),
      (error) => this.#reportUnlessSimulated(error),
    )
    return { answer }
  }

  #meet(fault: Fault): void {
    const between = (most: number) => this.#draw.between(1, most)
    if (fault !== 'none') {
      const what = fault === 'fails' ? 'broken' : fault
      if (this.#draw.chance(0.7)) this.#disk.failAt(between(WRITES_OF_BATCH), 'writes', what)
      else this.#disk.failAt(between(STEPS_OF_BATCH), 'all', what)
    }
  }

  async #run(errand: Errand): Promise<void> {
    if (errand === 'checkpoints') return this.#checkpoint()
    const acknowledged = this.#acknowledged
    try {
      if (errand === 'publishes') await this.#store.publish()
      else if (errand === 'settles') await this.#store.settle()
      else return
    } catch (error) {
      this.#reportUnlessSimulated(error)
      return
    }
    this.#look(acknowledged)
  }

  /** Moves pages from another connection. This isn't simulated after a failed sync, of which SQLite doesn't know. */
  #checkpoint(): void {
    if (this.#disk.isDoubtful) return
    try {
      this.#others().prepare('PRAGMA wal_checkpoint(PASSIVE)').get()
    } catch (error) {
      this.#reportUnlessSimulated(error)
    }
  }

  /** Checks that a reader sees everything acknowledged, and nothing that is undone later. */
  #look(acknowledged: string | undefined): void {
    let size: number
    let found: unknown
    try {
      const other = this.#others()
      size = Number(other.prepare('SELECT coalesce(max(log_index) + 1, 0) AS size FROM leaves').get()?.size)
      found = other.prepare('SELECT aar_id FROM records WHERE aar_id = ?').get(acknowledged ?? '')?.aar_id
    } catch (error) {
      this.#reportUnlessSimulated(error)
      return
    }
    if (size < this.#seen) this.failure ??= new Error(`the log had ${this.#seen} entries, and now ${size}`)
    if (found !== acknowledged) this.failure ??= new Error(`${acknowledged} is acknowledged and not shown`)
    this.#seen = size
  }

  #others(): DatabaseSync {
    if (this.#other === undefined) {
      this.#other = new DatabaseSync(this.#file)
      this.#other.exec('PRAGMA synchronous = FULL; PRAGMA wal_autocheckpoint = 0;')
    }
    return this.#other
  }

  #remember(life: Life, { replies }: BatchResult): void {
    if (life !== this.#life) return
    for (const reply of replies)
      if ('outcome' in reply) {
        const { aar_id } = reply.outcome as { readonly aar_id?: string } // of every command that makes a record
        this.#acknowledged = aar_id ?? this.#acknowledged
      }
  }

  #open(): SqliteWriteStore {
    return sqliteWriteStore({
      file: this.#file,
      ...this.#keys,
      clock: this.#clock,
      reserve: {
        release: () => {
          const had = this.#hasReserve
          this.#hasReserve = false
          return had
        },
        restore: () => {
          this.#hasReserve ||= this.#draw.chance(0.5)
          return this.#hasReserve
        },
      },
      defers_sums: true,
      onPublished() {},
      journal_file_bytes: JOURNAL_FILE_BYTES,
      quick_sync_ms: this.#draw.chance(0.5) ? Number.POSITIVE_INFINITY : 0,
      steadyClock: () => this.#steady_ms,
    })
  }

  #die(): void {
    this.crashes += 1
    if (this.#isStarting) return
    const { died } = this.#life
    this.#life = aLife(this.#restart())
    died.reject(new StoreError('the process died', 'unknown', undefined))
  }

  /** Starts the next process with what the disk holds. */
  async #restart(): Promise<void> {
    this.#isStarting = true
    try {
      do {
        await nextTurn() // everything that the process had started has failed by now
        this.#other = undefined
        this.#disk.restart()
        if (this.#draw.chance(TORN_STARTS)) this.#tearStart()
        this.#start()
      } while (this.#disk.isDead)
    } catch (error) {
      this.failure ??= error
      throw error
    } finally {
      this.#isStarting = false
    }
  }

  #tearStart(): void {
    if (this.#draw.chance(0.5)) this.#disk.failAt(this.#draw.between(1, WRITES_OF_START), 'writes', 'dies')
    else this.#disk.failAt(this.#draw.between(1, STEPS_OF_START), 'all', 'dies')
  }

  #start(): void {
    try {
      this.#store = this.#open()
    } catch (error) {
      if (!this.#disk.isDead) throw error
    }
  }

  #reportBug(cause: unknown): never {
    this.#reportUnlessSimulated(cause)
    throw cause
  }

  /** Notes an error as the failure of the story, unless the simulated disk caused it. */
  #reportUnlessSimulated(error: unknown): void {
    for (let cause = error; cause instanceof Error; cause = cause.cause) if (isSimulated(cause)) return
    if (error instanceof StoreError && error.is_full) return
    this.failure ??= error
  }
}

function aLife(turn: Promise<void>): Life {
  const died = Promise.withResolvers<never>()
  died.promise.catch(ignore) // rejected for the batches that are in flight then
  turn.catch(ignore)
  return { turn, died }
}

function ignore(): void {}
