import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { dirname } from 'node:path'
import { DatabaseSync, type SQLInputValue, StatementSync } from 'node:sqlite'
import { type SeededDraw, seededDraw } from '@deputize/testing/seeded-draw.ts'
import { CachedFile } from './cached-file.ts'

const ERRORS = { broken: { errcode: 10, code: 'EIO' }, full: { errcode: 13, code: 'ENOSPC' } } as const
const PAGE = 4096
/** The header of a write-ahead log. SQLite syncs it before it writes any page after it. */
const LOG_HEADER_BYTES = 32
/** A sync takes at most this many turns of the event loop. */
const MOST_TURNS = 3
const SHORT_WRITES = 0.05

/**
 * What happens at a step. Dies: the process ends before, during or after it, and any part of what wasn't synced may
 * arrive.
 */
export type Failure = 'broken' | 'full' | 'dies'

/** Steps that write or sync, or all statements of SQLite as well. */
export type Steps = 'writes' | 'all'

const real = { ...fs }

/**
 * The disk below the store of one process. It forgets what wasn't synced when the process dies. Everything that the
 * store requests from it is a step, which may fail.
 */
export class FailingDisk {
  /** The files of the journal. */
  readonly #journals: readonly string[]
  readonly #file: string
  readonly #log: string
  readonly #onDeath: () => void
  #draw: SeededDraw
  #left = Number.POSITIVE_INFINITY
  #counted: Steps = 'all'
  #failure: Failure = 'broken'
  #files = new Map<string, CachedFile>()
  /** Files whose removal a crash may undo, with the content that it would leave. */
  #removed = new Map<string, Buffer>()
  #connections = new Set<DatabaseSync>()
  #descriptors = new Map<number, string>()
  /** Whether SQLite syncs every commit. */
  #syncsCommits = true
  #isDoubtful = false
  #survivors: ReadonlyMap<string, Buffer> | undefined
  #lives = 0

  constructor(file: string, draw: SeededDraw, onDeath: () => void) {
    this.#file = file
    this.#log = `${file}-wal`
    this.#journals = [`${file}.journal-0`, `${file}.journal-1`]
    this.#draw = draw
    this.#onDeath = onDeath
    this.#begin()
  }

  /** Sets the source of everything random from now on. */
  drawFrom(draw: SeededDraw): void {
    this.#draw = draw
  }

  /** Lets one step fail. 1 is the next one. */
  failAt(nth: number, counted: Steps, failure: Failure): void {
    this.#left = nth
    this.#counted = counted
    this.#failure = failure
  }

  /** Makes nothing fail from now on. */
  repair(): void {
    this.#left = Number.POSITIVE_INFINITY
  }

  get isDead(): boolean {
    return this.#survivors !== undefined
  }

  /** Whether a sync of the write-ahead log has failed without SQLite knowing. */
  get isDoubtful(): boolean {
    return this.#isDoubtful
  }

  /** Closes what the process has open, and restarts the machine with what the disk holds. */
  restart(): void {
    disk = undefined
    for (const connection of this.#connections) if (connection.isOpen) connection.close()
    for (const descriptor of this.#descriptors.keys()) real.closeSync(descriptor)
    real.renameSync(`${this.#file}.kept`, this.#file)
    real.rmSync(`${this.#file}-shm`, { force: true })
    for (const path of [this.#log, ...this.#journals]) {
      const content = this.#survivors?.get(path)
      if (content === undefined) real.rmSync(path, { force: true })
      else real.writeFileSync(path, content)
    }
    this.#begin()
  }

  /** Ends the simulation. All calls go to the real disk again. */
  close(): void {
    disk = undefined
  }

  #begin(): void {
    this.repair()
    this.#lives += 1
    this.#survivors = undefined
    this.#connections = new Set()
    this.#descriptors = new Map()
    this.#removed = new Map()
    this.#syncsCommits = true
    this.#isDoubtful = false
    this.#files = new Map([this.#log, ...this.#journals].map((path) => [path, new CachedFile(path)]))
    disk = this
  }

  /** Runs a step that the process requests from the disk, or lets it fail. */
  step<T>(isWrite: boolean, run: () => T, checkpoints = false): T {
    if (this.isDead) throw failure('broken')
    if (isWrite || this.#counted === 'all') this.#left -= 1
    if (this.#left > 0) return run()
    this.repair()
    if (this.#failure !== 'dies') throw failure(this.#failure)
    if (this.#syncsCommits) this.#logFile.sync()
    const before = checkpoints ? real.readFileSync(this.#file) : undefined
    const log = before && real.existsSync(this.#log) ? real.readFileSync(this.#log) : undefined
    if (this.#draw.chance(0.8)) ignoreErrors(run)
    this.#survivors = this.#survivorsOf(before && { file: before, log })
    this.#onDeath()
    throw failure('broken')
  }

  /** `before` contains the files as of before pages were moved into the store's file. */
  #survivorsOf(before: { file: Buffer; log: Buffer | undefined } | undefined): ReadonlyMap<string, Buffer> {
    const draw = seededDraw(this.#draw.between(0, 2 ** 32 - 1)) // the amount written must not change what follows
    const kept = new Map<string, Buffer>()
    real.copyFileSync(this.#file, `${this.#file}.kept`)
    if (real.existsSync(this.#log)) {
      this.#logFile.syncFirst(LOG_HEADER_BYTES)
      kept.set(this.#log, before ? real.readFileSync(this.#log) : this.#logFile.afterCrash(draw))
    }
    if (before?.log && draw.chance(0.7)) {
      // SQLite has synced the log, and any of its pages may have arrived in the file.
      const file = real.readFileSync(this.#file)
      for (let at = 0; at < before.file.length; at += PAGE)
        if (draw.chance(0.5)) before.file.copy(file, at, at, at + PAGE)
      real.writeFileSync(`${this.#file}.kept`, file)
      kept.set(this.#log, before.log)
    }
    for (const path of this.#journals) {
      const removed = draw.chance(0.5) ? this.#removed.get(path) : undefined
      if (removed !== undefined) kept.set(path, removed)
      else if (real.existsSync(path)) kept.set(path, this.#fileAt(path).afterCrash(draw))
    }
    return kept
  }

  // Requests of the process to SQLite

  uses(connection: DatabaseSync): void {
    this.#connections.add(connection)
  }

  executed(sql: string): void {
    if (sql === 'PRAGMA synchronous = NORMAL') {
      this.#logFile.sync()
      this.#syncsCommits = false
    }
  }

  checkpointed(): void {
    this.#isDoubtful = false
    this.#logFile.sync()
  }

  // Requests of the process to the operating system

  opened(path: unknown, descriptor: number): void {
    if (typeof path === 'string' && (this.#files.has(path) || path === dirname(this.#file)))
      this.#descriptors.set(descriptor, path)
  }

  holds(descriptor: number): boolean {
    return this.#descriptors.has(descriptor)
  }

  closed(descriptor: number): void {
    this.#descriptors.delete(descriptor)
  }

  write(descriptor: number, bytes: Uint8Array, offset: number, length: number, position: number): number {
    const isShort = this.#draw.chance(SHORT_WRITES)
    const part = Math.ceil(length * this.#draw.share())
    try {
      return this.step(true, () =>
        real.writeSync(descriptor, bytes, offset, isShort ? part : length, position),
      )
    } catch (error) {
      if (!this.isDead) real.writeSync(descriptor, bytes, offset, part, position)
      throw error
    }
  }

  /** A sync in the background. If the process dies meanwhile, `onEnd` is never called. */
  beginSync(descriptor: number, onEnd: (error: Error | null) => void): void {
    const path = this.#pathOf(descriptor)
    const sync = this.#fileAt(path).beginSync()
    const life = this.#lives
    const end = () => {
      if (this.isDead || life !== this.#lives) return
      try {
        this.step(true, () => sync.end())
      } catch (error) {
        if (this.isDead) return
        if (path === this.#log) this.#isDoubtful = true
        sync.fail(seededDraw(this.#draw.between(0, 2 ** 32 - 1)))
        onEnd(error as Error) // a step throws nothing else
        return
      }
      onEnd(null)
    }
    afterTurns(this.#draw.between(0, MOST_TURNS), end)
  }

  syncNow(descriptor: number): void {
    const path = this.#pathOf(descriptor)
    if (path === dirname(this.#file)) {
      this.step(true, () => this.#removed.clear())
      return
    }
    const sync = this.#fileAt(path).beginSync()
    try {
      this.step(true, () => sync.end())
    } catch (error) {
      sync.fail(seededDraw(this.#draw.between(0, 2 ** 32 - 1)))
      throw error
    }
  }

  remove(path: string): void {
    this.step(true, () => {
      if (!real.existsSync(path)) return
      this.#removed.set(path, this.#fileAt(path).afterCrash(seededDraw(this.#draw.between(0, 2 ** 32 - 1))))
      real.rmSync(path)
      this.#files.set(path, new CachedFile(path))
    })
  }

  isJournal(path: unknown): path is string {
    return typeof path === 'string' && this.#journals.includes(path)
  }

  get #logFile(): CachedFile {
    return this.#fileAt(this.#log)
  }

  #fileAt(path: string): CachedFile {
    const file = this.#files.get(path)
    if (file === undefined) throw new Error(`${path} is not on this disk`)
    return file
  }

  #pathOf(descriptor: number): string {
    return this.#descriptors.get(descriptor) ?? ''
  }
}

/** The disk in use. */
let disk: FailingDisk | undefined

function failure(reason: 'broken' | 'full'): Error {
  return Object.assign(new Error('the simulated disk failed'), ERRORS[reason])
}

/** True if an error is a failure of the simulated disk. */
export function isSimulated(error: unknown): boolean {
  return error instanceof Error && error.message === failure('broken').message
}

function ignoreErrors(run: () => unknown): void {
  try {
    run()
  } catch {
    // The process is dead, so no one sees the error.
  }
}

function afterTurns(turns: number, run: () => void): void {
  setImmediate(() => (turns === 0 ? run() : afterTurns(turns - 1, run)))
}

const { exec, prepare } = DatabaseSync.prototype
/** Statements that move pages from the write-ahead log into the store's file. */
const checkpoints = new WeakSet<StatementSync>()

DatabaseSync.prototype.exec = function (sql) {
  if (disk === undefined || sql === 'ROLLBACK') return exec.call(this, sql) // nothing was written that must be undone
  disk.uses(this)
  disk.step(sql === 'COMMIT', () => exec.call(this, sql))
  disk.executed(sql)
}

/** Prepares a statement on first use: a process that soon dies uses few, and preparing all takes most of its start. */
DatabaseSync.prototype.prepare = function (sql) {
  let statement: StatementSync | undefined
  const prepared = () => {
    statement ??= prepare.call(this, sql)
    if (sql.includes('wal_checkpoint')) checkpoints.add(statement)
    return statement
  }
  const late = {
    run: (...values: SQLInputValue[]) => prepared().run(...values),
    get: (...values: SQLInputValue[]) => prepared().get(...values),
    all: (...values: SQLInputValue[]) => prepared().all(...values),
    iterate: (...values: SQLInputValue[]) => prepared().iterate(...values),
  }
  return late as unknown as StatementSync // the store uses nothing else, and binds by position
}

for (const method of ['run', 'get', 'all'] as const) {
  const original = StatementSync.prototype[method]
  Object.assign(StatementSync.prototype, {
    [method](this: StatementSync, ...values: Parameters<typeof original>) {
      const run = () => Reflect.apply(original, this, values)
      if (disk === undefined) return run()
      const isCheckpoint = checkpoints.has(this)
      const answer = disk.step(isCheckpoint, run, isCheckpoint)
      if (isCheckpoint) disk.checkpointed()
      return answer
    },
  })
}

Object.assign(fs, {
  openSync(...given: Parameters<typeof fs.openSync>) {
    const open = () => real.openSync(...given)
    // Files are also opened for reading, even by the simulation itself, so only a new file is a step.
    if (disk === undefined || given[1] !== 'w+' || !disk.isJournal(given[0])) {
      const descriptor = open()
      disk?.opened(given[0], descriptor)
      return descriptor
    }
    const descriptor = disk.step(true, open)
    disk.opened(given[0], descriptor)
    return descriptor
  },
  closeSync(descriptor: number) {
    disk?.closed(descriptor)
    real.closeSync(descriptor)
  },
  writeSync(...given: [number, Uint8Array, number, number, number]) {
    return disk?.holds(given[0]) ? disk.write(...given) : real.writeSync(...given)
  },
  fdatasync(descriptor: number, onEnd: (error: Error | null) => void) {
    if (disk?.holds(descriptor)) disk.beginSync(descriptor, onEnd)
    else real.fdatasync(descriptor, onEnd)
  },
  fdatasyncSync(descriptor: number) {
    if (disk?.holds(descriptor)) disk.syncNow(descriptor)
    else real.fdatasyncSync(descriptor)
  },
  fsyncSync(descriptor: number) {
    if (disk?.holds(descriptor)) disk.syncNow(descriptor)
    else real.fsyncSync(descriptor)
  },
  rmSync(...given: Parameters<typeof fs.rmSync>) {
    if (disk?.isJournal(given[0])) disk.remove(given[0])
    else real.rmSync(...given)
  },
})
syncBuiltinESMExports()
