import { type Client, DatabaseError } from 'pg'
import { type Changes, type Facts, hasChanges, type Needs, StoreError, type WriteStore } from '../port.ts'
import { integer, type Row, text } from '../values.ts'
import { openVault, type Vault } from '../vault.ts'
import { headAfter, hotValues, loadKeysFor, type Writing, writingOf } from './change-writer.ts'
import { assertDurable, connect, DatabaseRefused } from './connect.ts'
import { type BatchFacts, batchFacts, firstAsked } from './facts.ts'
import { HEAD, type Head, headOf } from './head.ts'
import { openMemory } from './memory.ts'
import { migrate } from './migrate.ts'
import { writingTurn } from './write-lock.ts'

export interface PostgresOptions {
  readonly url: string
  /** The deployment that the database must belong to; a new one is stamped with it. */
  readonly instance: string
  readonly vault_key: Uint8Array
  readonly clock: () => number
  /** Names this process among all that write. */
  readonly writer_id: string
  /** Take a database that may lose what it acknowledged. */
  readonly allow_unsafe: boolean
}

type Judge<T> = (facts: Facts) => { changes: Changes; result: T }

/** A batch that was judged and can be written. */
interface Judged<T> {
  readonly head: Head
  readonly now_ms: number
  readonly changes: Changes
  readonly result: T
  readonly writing: Writing
}

/**
 * The store of several nodes. Batches of all nodes have one order: each advances one row, the head, by one.
 *
 * A node remembers what it read and wrote. As long as the head says that nobody else has written, that is still true, and
 * a batch is judged from memory and written by a single statement which does nothing unless the head is where the node
 * saw it last. When somebody else was faster, the batch is judged again in a transaction that holds the head; and as long
 * as somebody else keeps writing, nodes take turns, because the attempt would be in vain.
 */
export async function postgresWriteStore(options: PostgresOptions): Promise<WriteStore> {
  const { url, writer_id, clock } = options
  const vault = openVault(options.vault_key)
  const memory = openMemory()
  const turn = writingTurn()
  let client: Client | undefined
  let head: Head | undefined
  /** Whether somebody else wrote between the last two batches of this node. */
  let isContested = false

  async function connected(): Promise<Client> {
    if (client !== undefined) return client
    const fresh = await connect(url, `writer ${writer_id}`, () => {
      if (client === fresh) client = undefined
    })
    // The statement of a batch has many parts: planning it anew for each batch would cost more than carrying it out.
    await fresh.query('SET plan_cache_mode = force_generic_plan')
    client = fresh
    return fresh
  }

  /** Nothing that was remembered can be trusted, and the connection neither. */
  function forgetAll(): void {
    const lost = client
    client = undefined
    head = undefined
    memory.forgetStates()
    lost?.end().catch(() => {})
  }

  function adopt(next: Head): Head {
    isContested = head !== undefined && head.batch !== next.batch
    if (head?.batch !== next.batch) memory.forgetStates()
    head = next
    return next
  }

  /** While somebody else writes too, waits until it is this node's turn. */
  async function waitForTurn(): Promise<void> {
    if (!isContested) return
    const database = await connected()
    if (turn.isOurs(database)) return
    const row = await turn.take(database)
    if (row !== undefined) adopt(headOf(row))
  }

  /** Judges until nothing is asked for in vain. What the judges changed in memory is forgotten each time. */
  async function judgeAt<T>(at: Head, needs: Needs, judge: Judge<T>, database: Client): Promise<Judged<T>> {
    const now_ms = Math.max(clock(), at.last_ms)
    const asked = firstAsked(needs)
    for (;;) {
      const working = { ...at }
      const batch = batchFacts(asked, now_ms, working, memory, vault)
      await batch.load(database)
      const judged = attempt(judge, batch)
      if (judged !== undefined) {
        await loadKeysFor(judged.changes, memory, database)
        return {
          head: working,
          now_ms,
          ...judged,
          writing: writingOf(judged.changes, batch, working, memory),
        }
      }
      memory.forgetStates()
    }
  }

  /** The batch as one statement that commits by itself. False when somebody else was faster. */
  async function writeAlone<T>(database: Client, judged: Judged<T>): Promise<boolean> {
    const { rows } = await database.query({ ...judged.writing.statement, values: valuesOf(judged) })
    if (rows.length === 0) return false
    committed(judged, integer(rows[0]?.batch))
    return true
  }

  /** The batch with its rare statements, in a transaction that has begun. False when somebody else was faster. */
  async function writeTogether<T>(database: Client, judged: Judged<T>): Promise<boolean> {
    const { rows } = await database.query({ ...judged.writing.statement, values: valuesOf(judged) })
    if (rows.length === 0) {
      await database.query('ROLLBACK')
      return false
    }
    for (const { sql, values } of judged.writing.rare) await database.query(sql, values)
    await settled(async () => {
      await database.query('COMMIT')
      return true
    }, judged)
    if (client === database) committed(judged, integer(rows[0]?.batch)) // else everything was forgotten meanwhile
    return true
  }

  function valuesOf<T>({ head: at, changes, now_ms, writing }: Judged<T>): unknown[] {
    return hotValues(headAfter(at, changes, now_ms), now_ms, writer_id, writing.arrays)
  }

  function committed<T>({ head: at, changes, now_ms, writing }: Judged<T>, batch: number): void {
    writing.remember()
    head = { ...headAfter(at, changes, now_ms), batch }
  }

  /** Judges from memory. Undefined when that was not possible, and nothing has happened. */
  async function fast<T>(
    needs: Needs,
    judge: Judge<T>,
  ): Promise<{ result: T; changes: Changes } | undefined> {
    const database = await connected()
    if (head === undefined || (isContested && !turn.isOurs(database))) return undefined
    const judged = await judgeAt(head, needs, judge, database)
    if (isNothing(judged.changes)) {
      // Also a no must be true: nobody may have written since the state it was judged by.
      const { rows } = await database.query(HEAD)
      return integer(rows[0]?.batch) === judged.head.batch ? judged : undefined
    }
    if (judged.writing.rare.length === 0)
      return (await settled(() => writeAlone(database, judged), judged)) ? judged : undefined
    await database.query('BEGIN')
    return (await writeTogether(database, judged)) ? judged : undefined
  }

  /** Judges while nobody else can write. */
  async function slow<T>(needs: Needs, judge: Judge<T>): Promise<{ result: T; changes: Changes }> {
    memory.forgetStates() // the judges may have changed them already, for nothing
    const database = await connected()
    // Both in one go: the second sees the head as it is once nobody else holds it.
    const answers = (await database.query(`BEGIN; ${HEAD} FOR UPDATE`)) as unknown as { rows: Row[] }[]
    const judged = await judgeAt(adopt(headOf(answers[1]?.rows[0])), needs, judge, database)
    if (isNothing(judged.changes)) {
      await database.query('ROLLBACK')
      return judged
    }
    if (!(await writeTogether(database, judged)))
      throw new Error('the head moved although this node holds it')
    return judged
  }

  /**
   * Sends what makes a batch durable. When the connection fails in that moment, the outcome is asked for on a new one:
   * whoever gets hold of the head knows that the earlier attempt has ended, one way or the other.
   */
  async function settled<T>(send: () => Promise<boolean>, judged: Judged<T>): Promise<boolean> {
    try {
      return await send()
    } catch (cause) {
      if (isRefusal(cause)) throw cause
      forgetAll()
      const batch = judged.head.batch + 1
      if ((await lastBatchOf(cause)) !== batch)
        throw new StoreError('the batch was not committed', 'nothing_written', cause)
      return true
    }
  }

  async function lastBatchOf(cause: unknown): Promise<number> {
    try {
      const database = await connected()
      await database.query(`BEGIN; ${HEAD} FOR UPDATE`)
      const { rows } = await database.query('SELECT last_batch FROM writers WHERE writer_id = $1', [
        writer_id,
      ])
      await database.query('ROLLBACK')
      return rows[0] === undefined ? 0 : integer(rows[0].last_batch)
    } catch {
      forgetAll()
      throw new StoreError('the connection was lost while committing', 'unknown', cause)
    }
  }

  await prepare(await connected(), options, vault)

  return {
    async transact(needs, judge) {
      turn.hold()
      try {
        await waitForTurn()
        const { result, changes } = (await fast(needs, judge)) ?? (await slow(needs, judge))
        if (changes.scrub) await scrub(await connected())
        return result
      } catch (error) {
        forgetAll()
        if (error instanceof StoreError || !isDatabaseError(error)) throw error
        throw new StoreError('the store could not be written', 'nothing_written', error)
      } finally {
        turn.rest()
      }
    },
    async close() {
      await client?.end()
    },
  }
}

/** The outcome of the judges, or undefined when they asked for something that was not there. */
function attempt<T>(judge: Judge<T>, batch: BatchFacts): { changes: Changes; result: T } | undefined {
  try {
    const judged = judge(batch.facts)
    return batch.isIncomplete() ? undefined : judged
  } catch (error) {
    // With an answer missing, a judge may have stumbled over it.
    if (batch.isIncomplete()) return undefined
    throw error
  }
}

function isNothing(changes: Changes): boolean {
  return !hasChanges(changes) && changes.forget_replays_before_ms === undefined
}

/** The database itself said no, and is still there: nothing is unclear about the outcome. */
function isRefusal(error: unknown): boolean {
  return error instanceof DatabaseError && !/^(08|57P)/.test(error.code ?? '')
}

/** Errors of the database, the network or the driver; everything else is a bug of ours. */
function isDatabaseError(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  return (
    'code' in error || /timeout|Connection terminated|not queryable|Client was closed/i.test(error.message)
  )
}

/** Brings the schema up to date and makes sure that database and keys belong together. */
async function prepare(
  database: Client,
  { instance, allow_unsafe }: PostgresOptions,
  { deployment }: Vault,
): Promise<void> {
  await assertDurable(database, allow_unsafe)
  await migrate(database)
  const place = { kind: 'check', row: 'vault' } as const
  const sealed = Buffer.from(deployment.seal(place, 'open')).toString('base64url')
  await database.query(
    `INSERT INTO deployment (name, value) VALUES ('instance', $1), ('vault', $2) ON CONFLICT (name) DO NOTHING`,
    [instance, sealed],
  )
  const { rows } = await database.query('SELECT name, value FROM deployment')
  const stamped = new Map(rows.map((row) => [text(row.name), text(row.value)]))
  if (stamped.get('instance') !== instance)
    throw new DatabaseRefused('The database belongs to another deployment than these keys.')
  try {
    deployment.open(place, Buffer.from(stamped.get('vault') ?? '', 'base64url'))
  } catch {
    throw new DatabaseRefused('The database was sealed with another secret than that of these keys.')
  }
  const { rows: ends } = await database.query(
    'SELECT h.*, (SELECT coalesce(max(log_index) + 1, 0) FROM leaves) AS size FROM log_head h',
  )
  const { size } = headOf(ends[0]).frontier
  if (size !== integer(ends[0]?.size))
    throw new DatabaseRefused(
      `The log holds ${ends[0]?.size} leaves, but its head says ${size}: the data is damaged.`,
    )
}

/**
 * Rewrites the table of data keys, so that no page of it holds an older version of a row. What the database keeps of it
 * elsewhere (its write-ahead log, backups, standbys) ends as those end.
 */
async function scrub(database: Client): Promise<void> {
  try {
    await database.query('VACUUM (FULL) data_keys')
  } catch (cause) {
    throw new StoreError('the table of data keys could not be rewritten', 'committed', cause)
  }
}
