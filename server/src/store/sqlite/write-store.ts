import type { DatabaseSync } from 'node:sqlite'
import type { Lane } from '@deputize/protocol'
import { sqliteCodeOf } from '../../sqlite-code.ts'
import type { Changes, WriteStore } from '../port.ts'
import { StoreError } from '../port.ts'
import { deploymentOpener } from '../rows/sealed-fields.ts'
import { text } from '../values.ts'
import { openVault, type Vault } from '../vault.ts'
import { changeWriter } from './change-writer.ts'
import { openForWriting } from './connect.ts'
import { DeferredSums } from './deferred-sums.ts'
import { factReader } from './facts.ts'
import { readHead } from './head.ts'
import { addMissingNodes } from './log.ts'
import { people as peopleOf } from './people.ts'
import type { Reserve } from './reserve.ts'
import { internedKeys, rowKeys } from './row-keys.ts'
import { clearLeftovers, scrub } from './scrub.ts'
import { sealExisting } from './seal-existing.ts'
import { fieldOpener } from './sealed-fields.ts'
import { tokenReader } from './tokens.ts'

export interface SqliteOptions {
  readonly file: string
  /** The deployment that the file must belong to. A new file is stamped with it. */
  readonly instance: string
  /** The key that its vault is opened with. */
  readonly vault_key: Uint8Array
  readonly clock: () => number
  /** Space for the stop lane on a full disk. Without it, a full disk refuses the stop lane too. */
  readonly reserve?: Reserve | undefined
  /** Puts sums off, which makes batches cheaper. Whoever reads sums calls `settle` first. */
  readonly defers_sums?: boolean
}

/** Sums that a batch only adds to and that no later batch needs may be put off. */
export type SqliteWriteStore = WriteStore & Required<Pick<WriteStore, 'hasDeferred' | 'settle'>>

/** The embedded store: one file, one writer, one durable commit for each batch. */
export function sqliteWriteStore(options: SqliteOptions): SqliteWriteStore {
  const { file, instance, vault_key, clock, reserve, defers_sums = false } = options
  const db = openForWriting(file)
  clearLeftovers(db)
  const vault = openVault(vault_key)
  assertInstance(db, instance)
  addMissingNodes(db)
  const keys = internedKeys(db)
  const people = peopleOf(db, vault, keys)
  sealExisting(db, people)
  assertVault(db, vault)
  const tokens = tokenReader(db, deploymentOpener(vault))
  const deferred = new DeferredSums(db, { ...keys, agent: (agent_id) => keys.agent(agent_id, clock()) })
  const factsFor = factReader(db, tokens, people, fieldOpener(db, vault), deferred)
  const write = changeWriter(db, rowKeys(db, keys, tokens, people), people, deferred)
  let head: ReturnType<typeof readHead> | undefined = readHead(db)

  /** Drops what a rolled back transaction may have put into the caches. It reads nothing: the store may be unreadable. */
  function forget(): void {
    tokens.forget()
    keys.forget()
    people.forget()
    deferred.forget()
    head = undefined
  }

  /** A stop never waits for sums of others to be written, and what writes nothing itself succeeds on a full disk. */
  const sumsMode = ({ leaves }: Changes, now_ms: number, lane: Lane | undefined) =>
    defers_sums && (lane === 'stop' || leaves.length === 0 || !deferred.isDue(now_ms)) ? 'deferred' : 'now'

  const transact: WriteStore['transact'] = (needs, judge, lane) => {
    begin(db)
    const { changes, result, now_ms } = abortable(db, forget, () => {
      const { frontier, last_ms } = head ?? readHead(db)
      const now_ms = Math.max(clock(), last_ms)
      const judged = judge(factsFor(needs, now_ms, frontier))
      write(judged.changes, now_ms, sumsMode(judged.changes, now_ms, lane))
      return { ...judged, now_ms }
    })
    // A crash before COMMIT returns leaves the whole batch or none of it; nothing was acknowledged yet.
    commit(db, forget)
    head = { frontier: changes.frontier, last_ms: now_ms }
    // A crash from here on keeps the batch. Copies that a scrub would have cleared are cleared by the next start.
    return changes.scrubbed.size > 0 ? scrub(db).then(() => result) : result
  }

  /** A crash before COMMIT returns leaves the rows of `deferred_sums`; after it the sums are in their tables, once. */
  function settle(): void {
    if (!deferred.mayHaveAny()) return
    begin(db)
    abortable(db, forget, () => deferred.write())
    commit(db, forget)
  }

  settleIfPossible(settle)
  return {
    transact(needs, judge, lane) {
      if (lane !== 'stop') {
        // The space that a stop has just used must not go to anything else.
        if (reserve?.restore() === false)
          throw new StoreError('the disk is full', 'nothing_written', undefined, true)
        return transact(needs, judge, lane)
      }
      try {
        return transact(needs, judge, lane)
      } catch (error) {
        // Everything was rolled back and the head is read again, so the batch can be judged again.
        if (!(error instanceof StoreError && error.is_full && reserve?.release() === true)) throw error
        return transact(needs, judge, lane)
      }
    },
    hasDeferred: () => deferred.mayHaveAny(),
    settle,
    close() {
      settleIfPossible(settle)
      db.close()
    },
  }
}

/** On a disk that refuses writes, sums stay where they are until the next attempt. */
function settleIfPossible(settle: () => void): void {
  try {
    settle()
  } catch (error) {
    if (!(error instanceof StoreError)) throw error
  }
}

/** Refuses a store of another deployment: with other keys, people and digests would not be recognised. */
function assertInstance(db: DatabaseSync, instance: string): void {
  db.prepare('INSERT INTO deployment (name, value) VALUES (?, ?) ON CONFLICT DO NOTHING').run(
    'instance',
    instance,
  )
  const stamped = db.prepare('SELECT value FROM deployment WHERE name = ?').get('instance')?.value
  if (stamped !== instance)
    throw new Error('the store and the keys in this data directory belong to different deployments')
}

/** Refuses a store that was sealed with another key: everyone in it would look erased. */
function assertVault(db: DatabaseSync, { deployment }: Vault): void {
  const place = { kind: 'check', row: 'vault' } as const
  const find = db.prepare(`SELECT value FROM deployment WHERE name = 'vault'`)
  const known = find.get()?.value
  if (known === undefined) {
    const sealed = Buffer.from(deployment.seal(place, 'open')).toString('base64url')
    db.prepare(`INSERT INTO deployment (name, value) VALUES ('vault', ?)`).run(sealed)
    return
  }
  try {
    deployment.open(place, Buffer.from(text(known), 'base64url'))
  } catch (cause) {
    throw new Error(
      'the store was sealed with a different secret from the one in the keys of this data directory',
      { cause },
    )
  }
}

function begin(db: DatabaseSync): void {
  try {
    db.exec('BEGIN IMMEDIATE')
  } catch (cause) {
    throw new StoreError('the store does not accept writes', 'nothing_written', cause)
  }
}

function commit(db: DatabaseSync, forget: () => void): void {
  try {
    db.exec('COMMIT')
  } catch (cause) {
    rollback(db, forget)
    throw new StoreError('the commit failed', 'unknown', cause)
  }
}

/** Runs the body of a transaction and rolls it back when it throws. Errors of SQLite become StoreErrors. */
function abortable<T>(db: DatabaseSync, forget: () => void, body: () => T): T {
  try {
    return body()
  } catch (error) {
    rollback(db, forget)
    const code = sqliteCodeOf(error)
    if (code === undefined) throw error
    const outcome = ROW_ERRORS.has(code) ? 'rows_refused' : 'nothing_written'
    throw new StoreError('the store could not be written', outcome, error)
  }
}

function rollback(db: DatabaseSync, forget: () => void): void {
  if (db.isTransaction) db.exec('ROLLBACK')
  forget()
}

/** Errors that a row causes, not the store: too big, constraint, mismatch and range. */
const ROW_ERRORS: ReadonlySet<number> = new Set([18, 19, 20, 25])
