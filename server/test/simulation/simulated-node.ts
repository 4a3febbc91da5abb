import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Lane } from '@deputize/protocol'
import { writeEmptyStore } from '@deputize/testing/empty-store.ts'
import type { ManualClock } from '@deputize/testing/manual-clock.ts'
import type { Command } from '../../src/clerk/command.ts'
import { type BatchResult, runBatch } from '../../src/clerk/run-batch.ts'
import { openKeyRing } from '../../src/keys/key-ring.ts'
import { StoreError, type WriteStore } from '../../src/store/port.ts'
import { type SqliteWriteStore, sqliteWriteStore } from '../../src/store/sqlite/write-store.ts'

/**
 * What happens to a batch. Lost: the process dies before it begins. Torn: it dies while it commits or before it answers,
 * and of what it wrote since the last commit any number of bytes has reached the disk. Aborted: the store fails and goes on.
 */
export type Fault = 'none' | 'lost' | 'torn' | 'aborted'

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
  crashes = 0

  constructor(clock: ManualClock) {
    this.#clock = clock
    this.#keys = openKeyRing(this.directory, clock(), true)
    writeEmptyStore(this.#file)
    this.#store = this.#open()
  }

  /** Runs a batch with a fault. `share` says how much of what was not synced survives. */
  async execute(
    commands: readonly Command[],
    lane: Lane | undefined,
    fault: Fault,
    share: number,
  ): Promise<BatchResult> {
    const synced = this.#logSize()
    if (fault === 'lost') return this.#die(synced)
    const store = fault === 'aborted' ? failing(this.#store) : this.#store
    const result = await runBatch(
      store,
      commands,
      (cause) => {
        throw cause
      },
      lane,
    )
    if (fault === 'torn') return this.#die(synced + Math.round((this.#logSize() - synced) * share))
    return result
  }

  close(): void {
    void this.#store.close()
  }

  remove(): void {
    rmSync(this.directory, { recursive: true, force: true })
  }

  #open(): SqliteWriteStore {
    return sqliteWriteStore({ file: this.#file, ...this.#keys, clock: this.#clock, defers_sums: true })
  }

  #logSize(): number {
    return existsSync(this.#log) ? statSync(this.#log).size : 0
  }

  /** Ends the process and starts the next one on what the disk holds. */
  #die(kept_bytes: number): never {
    const file = readFileSync(this.#file)
    const log = existsSync(this.#log) ? readFileSync(this.#log).subarray(0, kept_bytes) : undefined
    void this.#store.close() // what it writes is replaced
    for (const path of [this.#file, this.#log, `${this.#file}-shm`]) rmSync(path, { force: true })
    writeFileSync(this.#file, file)
    if (log !== undefined) writeFileSync(this.#log, log)
    this.#store = this.#open()
    this.crashes += 1
    throw new StoreError('the process died', 'unknown', undefined)
  }
}

/** A store that fails after judging, so that it rolls back. */
function failing(store: WriteStore): WriteStore {
  return {
    ...store,
    transact: (needs, judge, lane) =>
      store.transact(
        needs,
        (facts) => {
          judge(facts)
          throw new StoreError('the disk failed', 'nothing_written', undefined)
        },
        lane,
      ),
  }
}
