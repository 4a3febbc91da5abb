import type { DatabaseSync } from 'node:sqlite'
import type { Lane } from '@deputize/protocol'
import { ExpectedFailure } from '../../../expected-failure.ts'
import { ifAccepted } from '../../if-accepted.ts'
import { PendingRecords } from '../../pending-records.ts'
import type { Changes } from '../../port/changes.ts'
import { hasChanges } from '../../port/changes.ts'
import { StoreError } from '../../port/store-error.ts'
import type { Facts, Needs, WriteStore } from '../../port/write-store.ts'
import { deploymentOpener } from '../../rows/sealed-fields.ts'
import { text } from '../../values.ts'
import { openVault, type Vault } from '../../vault.ts'
import { openForWriting } from '../connect.ts'
import { FilesInPlace } from '../files-in-place.ts'
import { JournaledCommits, type JournalOptions } from '../journal/journaled-commits.ts'
import { addMissingNodes } from '../read/log.ts'
import { fieldOpener } from '../read/sealed-fields.ts'
import { tokenReader } from '../read/tokens.ts'
import type { Reserve } from '../reserve.ts'
import { sealExisting } from '../seal-existing.ts'
import { changeWriter } from './change-writer.ts'
import { type Commits, directCommits } from './commits.ts'
import { DeferredSums } from './deferred-sums.ts'
import { factReader } from './facts.ts'
import { readHead } from './head.ts'
import { people as peopleOf } from './people.ts'
import { internedKeys, rowKeys } from './row-keys.ts'
import { clearLeftovers, scrub } from './scrub.ts'
import { TokenStates } from './token-states.ts'
import { writeError } from './write-error.ts'

export interface SqliteOptions extends JournalOptions {
  /** The deployment that the file must belong to. A new file is stamped with it. */
  readonly instance: string
  /** The key that opens its vault. */
  readonly vault_key: Uint8Array
  readonly clock: () => number
  /** Space for the stop lane on a full disk. Without it, a full disk refuses the stop lane too. */
  readonly reserve?: Reserve | undefined
  /** Defers sums, which makes batches cheaper. Callers that read sums call `settle` first. */
  readonly defers_sums?: boolean
  /**
   * Makes batches durable in a journal, which is faster. Called when other connections see what was acknowledged, also
   * while the store opens. Without it, every batch has its own transaction.
   */
  readonly onPublished?: () => void
  /** Called with the reason if opening leaves out the last batch of the journal. None of it was acknowledged. */
  readonly onLeftOut?: (refusal: Error) => void
}

/** A write store that may defer sums that a batch only adds to and that no later batch needs. */
export type SqliteWriteStore = Required<WriteStore>

type Judge<T> = (facts: Facts) => { changes: Changes; result: T }

interface Transacted<T> {
  readonly changes: Changes
  readonly result: T
  /** Undefined if it is durable already. */
  readonly durable: Promise<void> | undefined
}

/** Changes that readers in other places may depend on at once. For everything else, they ask the writer. */
const SHOWN_AT_ONCE = [
  'agent_keys',
  'agent_marks',
  'agent_owners',
  'agent_reasons',
  'anchors',
  'approvals',
  'erased',
  'human_marks',
  'profiles',
  'reasons',
  'registry',
  'scrubbed',
  'standings',
  'suspend_reasons',
  'vouch_scores',
  'vouches',
] as const satisfies (keyof Changes)[]

/** Opens the embedded store: one file, one writer. A batch is durable before it is acknowledged. */
export function sqliteWriteStore(options: SqliteOptions): SqliteWriteStore {
  const { file, instance, vault_key, clock, reserve, defers_sums = false } = options
  const db = openForWriting(file, options.onLeftOut)
  clearLeftovers(db)
  const vault = openVault(vault_key)
  assertInstance(db, instance)
  addMissingNodes(db)
  const commits: Commits =
    options.onPublished === undefined
      ? directCommits(db, forget)
      : new JournaledCommits(db, options, {
          onUndone: forget,
          onCommit: () => states.writeWaiting(),
          onPublished: options.onPublished,
        })
  const keys = internedKeys(db)
  const people = peopleOf(db, vault, keys)
  sealExisting(db, people)
  assertVault(db, vault)
  const states = new TokenStates(db)
  const tokens = tokenReader(db, deploymentOpener(vault), states)
  const deferred = new DeferredSums(db, { ...keys, agent: (agent_id) => keys.agent(agent_id, clock()) })
  const pending = new PendingRecords()
  const factsFor = factReader(db, tokens, people, fieldOpener(db, vault), deferred, pending)
  const write = changeWriter(db, rowKeys(db, keys, tokens, people), people, deferred, states)
  const files = new FilesInPlace(file)
  let head: ReturnType<typeof readHead> | undefined = readHead(db)
  /** The scrub after an erasure, while it runs. The next batch waits for it. */
  let scrubbing: Promise<void> | undefined

  /** Clears the caches, which may hold changes of a transaction that was rolled back. */
  function forget(): void {
    states.forget()
    tokens.forget()
    keys.forget()
    people.forget()
    deferred.forget()
    pending.forget()
    head = undefined
  }

  /** A stop never waits for other batches' sums to be written. A batch that writes nothing succeeds on a full disk. */
  const sumsMode = ({ leaves }: Changes, now_ms: number, lane: Lane | undefined) =>
    defers_sums && (lane === 'stop' || leaves.length === 0 || !deferred.isDue(now_ms)) ? 'deferred' : 'now'

  /** Judges a batch and makes it durable. */
  function transact<T>(needs: Needs, judge: Judge<T>, lane: Lane | undefined): Transacted<T> {
    commits.begin()
    const { changes, result, now_ms } = abortable(commits, () => {
      const { frontier, last_ms } = head ?? readHead(db)
      const now_ms = Math.max(clock(), last_ms)
      const judged = judge(factsFor(needs, now_ms, frontier))
      write(judged.changes, now_ms, sumsMode(judged.changes, now_ms, lane))
      return { ...judged, now_ms }
    })
    // A crash before the batch is durable leaves all of it or nothing; nothing was acknowledged yet.
    const durable = commits.end()
    pending.note(changes)
    head = { frontier: changes.frontier, last_ms: now_ms }
    return { changes, result, durable }
  }

  /**
   * Stops never wait for space: what fails because the disk is full is retried with the reserve. Everything was rolled
   * back by then and the head is read again, so the batch can be judged again.
   */
  async function stop<T>(needs: Needs, judge: Judge<T>): Promise<T> {
    const { changes, result } = await withReserve(async () => {
      const done = transact(needs, judge, 'stop')
      await done.durable
      return done
    })
    // A stop that changed nothing has nothing to publish.
    if (hasChanges(changes)) await withReserve(async () => commits.publish())
    if (changes.scrubbed.size > 0) await scrubbed(undefined)
    return result
  }

  async function withReserve<T>(attempt: () => Promise<T>): Promise<T> {
    try {
      return await attempt()
    } catch (error) {
      if (!(error instanceof StoreError && error.is_full && reserve?.release() === true)) throw error
      return attempt()
    }
  }

  async function published(durable: Promise<void> | undefined): Promise<void> {
    await durable
    await commits.publish()
  }

  /** A crash from here on keeps the batch. The next start clears the copies that the scrub would have cleared. */
  function scrubbed(durable: Promise<void> | undefined): Promise<void> {
    const done = (async () => {
      await durable
      await scrub(db, commits)
    })()
    const ended = done
      .catch(() => {})
      .finally(() => {
        if (scrubbing === ended) scrubbing = undefined
      })
    scrubbing = ended
    return done
  }

  /**
   * A crash before this is durable leaves the rows of `deferred_sums`; one after it, the sums in their tables, once.
   */
  function addSums(): Promise<void> | undefined {
    if (!deferred.mayHaveAny()) return undefined
    commits.begin()
    abortable(commits, () => deferred.write())
    return commits.end()
  }

  /** Publishes rows that are on disk even if the sums can't be written. */
  function settle(): Promise<void> | undefined {
    let durable: Promise<void> | undefined
    try {
      durable = addSums()
    } catch (error) {
      if (!commits.isHidden()) throw error
      durable = Promise.reject(error)
    }
    return durable === undefined ? commits.publish() : durable.finally(() => commits.publish())
  }

  void ifAccepted(settle)
  return {
    transact(needs, judge, lane) {
      // A stop takes effect even if it will be lost with the process.
      if (lane === 'stop') return stop(needs, judge)
      assertInPlace(files)
      // The space that a stop has just used must not go to anything else.
      assertReserved(reserve)
      const { changes, result, durable } = transact(needs, judge, lane)
      if (changes.scrubbed.size > 0) return scrubbed(durable).then(() => result)
      if (changes.probe || SHOWN_AT_ONCE.some((change) => changes[change].size > 0))
        return published(durable).then(() => result)
      return durable === undefined ? result : durable.then(() => result)
    },
    hasDeferred: () => deferred.mayHaveAny(),
    settle,
    isHidden: () => commits.isHidden(),
    publish: () => commits.publish(),
    room: () => scrubbing ?? commits.room(),
    close() {
      const end = () => {
        commits.close()
        db.close()
      }
      const settled = ifAccepted(settle)
      return settled === undefined ? end() : settled.then(end)
    },
  }
}

/** Throws if a file was displaced, because changes would be lost when the process ends. */
function assertInPlace(files: FilesInPlace): void {
  const name = files.displaced()
  if (name === undefined) return
  throw new StoreError(
    `${name} was removed or replaced while it is in use`,
    'nothing_written',
    undefined,
    false,
    `${name} in the data directory was removed or replaced while the service was using it. Move the original back, and the service continues. If it was deleted, copy the files that the process still has open before you stop it: see the runbook.`,
  )
}

/** Throws while there is no reserve for stops and none can be written. */
function assertReserved(reserve: Reserve | undefined): void {
  let isInPlace: boolean | undefined
  try {
    isInPlace = reserve?.restore()
  } catch (cause) {
    throw new StoreError('the reserve could not be written', 'nothing_written', cause)
  }
  if (isInPlace === false) throw new StoreError('the disk is full', 'nothing_written', undefined, true)
}

/** Throws for a store of another deployment: with other keys, people and digests would not be recognized. */
function assertInstance(db: DatabaseSync, instance: string): void {
  db.prepare('INSERT INTO deployment (name, value) VALUES (?, ?) ON CONFLICT DO NOTHING').run(
    'instance',
    instance,
  )
  const stamped = db.prepare('SELECT value FROM deployment WHERE name = ?').get('instance')?.value
  if (stamped !== instance)
    throw new ExpectedFailure(
      'The store and the keys in this data directory belong to different deployments. Put deputy.db and keys.json of the same deployment together.',
    )
}

/** Throws for a store that was sealed with another key: everyone in it would look erased. */
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
    throw new ExpectedFailure(
      'The store was sealed with a different secret from the one in the keys of this data directory. Put deputy.db and keys.json of the same deployment together.',
      { cause },
    )
  }
}

/** Runs the body of a batch, and undoes it if it throws. Errors of SQLite become StoreErrors. */
function abortable<T>(commits: Commits, body: () => T): T {
  try {
    return body()
  } catch (error) {
    commits.abort()
    throw writeError(error, 'nothing_written')
  }
}
