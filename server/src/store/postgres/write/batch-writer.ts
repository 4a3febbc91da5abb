import type { Lane } from '@deputize/protocol'
import type { Client } from 'pg'
import type { Changes } from '../../port/changes.ts'
import { StoreError } from '../../port/store-error.ts'
import type { Facts, Needs } from '../../port/write-store.ts'
import { deploymentOpener } from '../../rows/sealed-fields.ts'
import { integer, type Row } from '../../values.ts'
import type { Vault } from '../../vault.ts'
import { BY_KEYS, openConnection } from '../connect.ts'
import { KNOWS_DEFERRED_SUMS } from '../earlier-nodes.ts'
import { knownSchema } from '../migration-files.ts'
import { BatchOrder } from './batch-order.ts'
import { headAfter, hotValues, loadKeysFor, type SumsPlan, type Writing, writingOf } from './change-writer.ts'
import { isDatabaseError, isRowError, isStatementRefused } from './database-errors.ts'
import { firstRequests, type Repetition } from './fact-requests.ts'
import { type BatchFacts, batchFacts } from './facts.ts'
import { HEAD, type Head, headOf } from './head.ts'
import { keptReplays } from './kept-replays.ts'
import { BatchMemory } from './memory.ts'
import { ReplicationWatch } from './replication-watch.ts'
import { scrub } from './scrub.ts'
import { writeLock } from './write-lock.ts'

/** Repeated requests come in groups: after an interruption, many callers resend what was not answered. */
const LOOKUPS_AFTER_DOUBT = 1_000

export type Judge<T> = (facts: Facts) => JudgeOutcome<T>

/** A batch to be judged and written. */
export interface WantedBatch<T> {
  readonly needs: Needs
  readonly judge: Judge<T>
  readonly lane: Lane | undefined
  readonly clock: () => number
}

export interface JudgeOutcome<T> {
  readonly changes: Changes
  readonly result: T
}

export interface WriterOptions {
  readonly url: string
  /** Identifies this process among all writers. */
  readonly writer_id: string
  /** Defers sums, which makes batches cheaper. Reads that show sums settle them first. */
  readonly defers_sums?: boolean
  /** The most tokens, agents, people and names that it remembers. */
  readonly remembered?: number
}

/** A batch that has been judged and can be written. */
interface JudgedBatch<T> extends JudgeOutcome<T> {
  /** The head at which the batch was judged. */
  readonly base: Head
  /** The same head, with the keys that the batch has assigned. */
  readonly head: Head
  readonly now_ms: number
  readonly writing: Writing
  /** Whether it adds sums of earlier batches to their tables. */
  readonly settles: boolean
  /** Whether its answers may come from what an earlier batch stored. */
  readonly is_repeated: boolean
  /** The requests that it assumed to be new without looking them up. */
  readonly assumed_new: ReadonlySet<string>
  /** Whether it changed what is remembered about people, or assigned keys to new ones. */
  readonly touches_people: boolean
}

/**
 * Writes a node's batches. The batches of all nodes have one order: each advances one row, the head, by one.
 *
 * A node remembers what it read and wrote. While the head shows that no other node has written, that memory is current:
 * a batch is judged from memory and written by a single statement that does nothing unless the head is where this node
 * last saw it. If another node was faster, the batch is judged again in a transaction that holds the head. While other
 * nodes keep writing, nodes take turns, because attempts from memory would mostly fail.
 *
 * While such a statement commits a batch, the next one is judged as if that had succeeded, and is sent once it has. If
 * it fails, everything remembered is dropped and the next one is judged again.
 *
 * Requests with an idempotency key are assumed to be new: the statement does nothing if one was answered before, and
 * the batch is judged again with the stored answers.
 */
export class BatchWriter {
  readonly #url: string
  readonly #writer_id: string
  readonly #vault: Vault
  readonly #memory: BatchMemory
  readonly #lock = writeLock()
  readonly #order = new BatchOrder()
  #client: Client | undefined
  #head: Head | undefined
  /** Whether another node wrote between the last two batches of this one. */
  #isContested = false
  /** How many more batches look for stored answers before they are judged. */
  #lookups = 0
  readonly #defers_sums: boolean
  readonly #replication = new ReplicationWatch()

  constructor({ url, writer_id, defers_sums = false, remembered }: WriterOptions, vault: Vault) {
    this.#url = url
    this.#writer_id = writer_id
    this.#defers_sums = defers_sums
    this.#vault = vault
    this.#memory = new BatchMemory(deploymentOpener(vault), remembered)
  }

  /**
   * The stop lane doesn't take turns: it holds the head as soon as the batch that another node is writing has ended.
   */
  async write<T>(wanted: WantedBatch<T>): Promise<JudgeOutcome<T>> {
    const place = this.#order.enter()
    const ahead = await this.#judgeAhead(wanted)
    await place.turn
    this.#lock.hold()
    try {
      if (wanted.lane !== 'stop') await this.#waitForTurn()
      const written = (await this.#writeFromMemory(wanted, ahead)) ?? (await this.#writeHoldingHead(wanted))
      // A crash from here on keeps the batch. The caller has no answer yet, and a repeated erasure scrubs again.
      for (const table of written.changes.scrubbed) await scrub(table, () => this.connected())
      return written
    } catch (error) {
      await this.#forgetAll()
      if (error instanceof StoreError || !isDatabaseError(error)) throw error
      const outcome = isRowError(error) ? 'rows_refused' : 'nothing_written'
      throw new StoreError('the store could not be written', outcome, error)
    } finally {
      this.#lock.rest()
      place.leave()
    }
  }

  /** Resolves when another batch can be judged. Undefined if it can be at once. */
  room(): Promise<void> | undefined {
    return this.#order.room()
  }

  async connected(): Promise<Client> {
    if (this.#client !== undefined) return this.#client
    let opened: Client | undefined // the packet that reports the open connection can also lose it
    const fresh = await openConnection(this.#url, `writer ${this.#writer_id} s${knownSchema()}`, () => {
      if (this.#client === opened) this.#client = undefined
    })
    opened = fresh
    // The hot statement has many parts: planning it for each batch would cost more than running it.
    await fresh.query(`SET plan_cache_mode = force_generic_plan; ${BY_KEYS}`)
    this.#replication.follow(fresh)
    this.#client = fresh
    // After a failover, the database may lack what this node has written and remembers.
    this.#head = undefined
    this.#memory.forgetAll()
    return fresh
  }

  async close(): Promise<void> {
    await this.#client?.end()
  }

  /** Drops the connection and everything remembered, because neither can be trusted. */
  async #forgetAll(): Promise<void> {
    const lost = this.#client
    this.#client = undefined
    lost?.end().catch(() => {})
    await this.#takeBack(undefined)
  }

  /** Drops everything remembered, and what was judged from it. */
  async #takeBack(head: Head | undefined): Promise<void> {
    this.#head = head
    await this.#order.takeBack()
    this.#memory.forgetAll()
  }

  #adopt(next: Head): Head {
    this.#isContested = this.#head !== undefined && this.#head.batch !== next.batch
    if (this.#head?.batch !== next.batch) this.#memory.forgetChanging()
    this.#head = next
    return next
  }

  /** Waits for this node's turn while other nodes write too. */
  async #waitForTurn(): Promise<void> {
    if (!this.#isContested) return
    const database = await this.connected()
    if (this.#lock.isOurs(database)) return
    const row = await this.#lock.take(database)
    if (row !== undefined) this.#adopt(headOf(row))
  }

  /** Judges a batch while the one before it is being committed. Undefined if there is none, or if either fails. */
  async #judgeAhead<T>(wanted: WantedBatch<T>): Promise<JudgedBatch<T> | undefined> {
    const database = this.#client
    const head = this.#head
    if (!this.#order.isFollowing() || database === undefined || head === undefined) return undefined
    return this.#order.judgeAhead(async () => {
      try {
        return await this.#judgeAt(head, wanted, database, this.#repetition())
      } catch {
        // It is judged again in its turn, from what is stored: this attempt may have changed what is remembered.
        this.#head = undefined
        this.#memory.forgetAll()
        return undefined
      }
    })
  }

  /** Judges from memory and writes. Undefined if that was not possible; nothing was written then. */
  async #writeFromMemory<T>(
    wanted: WantedBatch<T>,
    ahead: JudgedBatch<T> | undefined,
  ): Promise<JudgeOutcome<T> | undefined> {
    const database = await this.connected()
    const head = this.#head
    if (head === undefined || (this.#isContested && !this.#lock.isOurs(database))) return undefined
    const judged = ahead?.base === head ? ahead : await this.#judgeInTurn(head, wanted, database)
    if (judged === undefined) return undefined
    if (writesNothing(judged))
      return (await this.#isCurrent(database, judged)) ? this.#wroteNothing(judged) : undefined
    if (judged.writing.rare.length === 0)
      return (await this.#madeDurable(() => this.#sendAlone(database, judged), judged)) ? judged : undefined
    await database.query('BEGIN')
    return (await this.#sendInTransaction(database, judged)) ? judged : undefined
  }

  /** Also undefined if a request could not be judged as new, because it may have been answered before. */
  async #judgeInTurn<T>(
    head: Head,
    wanted: WantedBatch<T>,
    database: Client,
  ): Promise<JudgedBatch<T> | undefined> {
    const repetition = this.#repetition()
    try {
      return await this.#judgeAt(head, wanted, database, repetition)
    } catch (error) {
      if (repetition === 'looked_up' || wanted.needs.replays.size === 0 || isDatabaseError(error)) throw error
      return undefined
    }
  }

  /**
   * Whether a batch that writes nothing may be answered: no other node has written since the state it was judged at,
   * and no request that it assumed to be new was answered before.
   */
  async #isCurrent<T>(database: Client, judged: JudgedBatch<T>): Promise<boolean> {
    const { rows } = await database.query(CURRENT, [[...judged.assumed_new], judged.now_ms])
    const isRepeated = rows[0]?.is_repeated === true
    if (isRepeated) this.#doubt(judged)
    return integer(rows[0]?.batch) === judged.base.batch && !isRepeated
  }

  /** Judges and writes while no other node can write. */
  async #writeHoldingHead<T>(wanted: WantedBatch<T>): Promise<JudgeOutcome<T>> {
    this.#memory.forgetStates() // an attempt from memory may have changed them
    const database = await this.connected()
    const head = this.#adopt(await lockedHead(database))
    const judged = await this.#judgeAt(head, wanted, database, 'looked_up')
    if (judged === undefined) throw new Error('the head moved although this node holds it')
    if (writesNothing(judged)) {
      await database.query('ROLLBACK')
      return this.#wroteNothing(judged)
    }
    if (!(await this.#sendInTransaction(database, judged)))
      throw new Error('the head moved although this node holds it')
    return judged
  }

  /**
   * Judges until every fact that the judge asks for is loaded. Each attempt starts from fresh states. Undefined if
   * memory becomes invalid meanwhile.
   */
  async #judgeAt<T>(
    head: Head,
    { needs, judge, lane, clock }: WantedBatch<T>,
    database: Client,
    repetition: Repetition,
  ): Promise<JudgedBatch<T> | undefined> {
    const memory = this.#memory
    memory.trim()
    const now_ms = Math.max(clock(), head.last_ms)
    const requests = firstRequests(needs, repetition)
    for (;;) {
      const working = { ...head }
      const batch = batchFacts(requests, now_ms, working, memory, this.#vault)
      if (lane !== 'stop') await memory.loadDeferred(database)
      await batch.load(database)
      if (this.#head !== head) return undefined
      const judged = attempt(judge, batch)
      if (judged !== undefined) {
        const plan = this.#sumsPlan(head, judged.changes, now_ms, lane)
        await loadKeysFor(judged.changes, plan, memory, database)
        if (this.#head !== head) return undefined
        return {
          ...judged,
          settles: plan.settles,
          base: head,
          head: working,
          now_ms,
          writing: writingOf(judged.changes, batch, working, memory, plan),
          is_repeated: batch.hasReplays(),
          assumed_new: requests.assumed_new,
          touches_people: batch.touched.size > 0,
        }
      }
      memory.forgetStates()
    }
  }

  /** A batch that assumed a repeated request to be new is judged twice. So after one, the next batches look first. */
  #repetition(): Repetition {
    if (this.#lookups === 0) return 'assumed_new'
    this.#lookups -= 1
    return 'looked_up'
  }

  /**
   * A stop never writes sums of other batches. While nodes take turns, each batch adds its own at once, so that other
   * nodes don't have to read deferred ones.
   */
  #sumsPlan(head: Head, changes: Changes, now_ms: number, lane: Lane | undefined): SumsPlan {
    const mayDefer = this.#defers_sums && head.oldest_schema >= KNOWS_DEFERRED_SUMS
    if (lane === 'stop') return { defers: mayDefer, settles: false }
    const defers = mayDefer && !this.#isContested && !changes.forget_minutes
    const { deferred } = this.#memory
    if (deferred === undefined || deferred.isEmpty()) return { defers, settles: false }
    const isDue = changes.leaves.length > 0 && deferred.isDue(now_ms)
    return { defers, settles: !defers || changes.settles_sums || isDue }
  }

  /**
   * Sends the batch as one statement that commits by itself. False if another node was faster, or if a request assumed
   * to be new was answered before. A crash leaves the whole batch or none of it, and this writer's row in `writers`
   * says which.
   */
  async #sendAlone<T>(database: Client, judged: JudgedBatch<T>): Promise<boolean> {
    const values = this.#valuesOf(judged)
    this.#remember(judged) // the next batch is judged as if this one were committed
    if (!this.#isContested) this.#order.send()
    const { rows } = await database.query({ ...judged.writing.statement, values })
    if (rows.length > 0) return true
    this.#doubt(judged)
    await this.#takeBack(judged.base)
    return false
  }

  /** Called when a batch failed. If it assumed requests to be new, one of them may have been answered before. */
  #doubt<T>({ assumed_new }: JudgedBatch<T>): void {
    if (assumed_new.size > 0) this.#lookups = LOOKUPS_AFTER_DOUBT
  }

  /** Like `#sendAlone`, for a batch with rare statements, in an open transaction. */
  async #sendInTransaction<T>(database: Client, judged: JudgedBatch<T>): Promise<boolean> {
    const { rows } = await database.query({ ...judged.writing.statement, values: this.#valuesOf(judged) })
    if (rows.length === 0) {
      this.#doubt(judged)
      await database.query('ROLLBACK')
      return false
    }
    for (const { sql, values } of judged.writing.rare) await database.query(sql, values)
    // A crash before COMMIT leaves nothing; a crash after it leaves the whole batch and this writer's row.
    await this.#madeDurable(async () => {
      await database.query('COMMIT')
      return true
    }, judged)
    // If the connection was lost, everything was forgotten meanwhile and will be read again.
    if (this.#client === database) this.#remember(judged)
    return true
  }

  #valuesOf<T>({ head, changes, now_ms, assumed_new, writing }: JudgedBatch<T>): unknown[] {
    const next = headAfter(head, changes, now_ms)
    return hotValues(next, now_ms, this.#writer_id, assumed_new, writing.arrays)
  }

  /** Adopts the state after a batch as that of the database. */
  #remember<T>({ head, changes, now_ms, writing }: JudgedBatch<T>): void {
    writing.remember()
    this.#head = { ...headAfter(head, changes, now_ms), batch: head.batch + 1 }
  }

  /**
   * Sends the statement that makes a batch durable. If the connection fails meanwhile, the outcome is read on a new
   * one: once that holds the head, the earlier attempt has ended, one way or the other. A commit found this way may be
   * missing on the standby that the first connection waited for, so it counts only after a commit on the new one.
   */
  async #madeDurable<T>(send: () => Promise<boolean>, judged: JudgedBatch<T>): Promise<boolean> {
    this.#replication.beforeCommit()
    try {
      if (!(await send())) return false
      this.#replication.onCommit()
    } catch (cause) {
      if (isStatementRefused(cause)) throw cause
      await this.#forgetAll()
      if ((await this.#lastBatch(cause)) !== judged.head.batch + 1)
        throw new StoreError('the batch was not committed', 'nothing_written', cause)
    }
    await this.#confirm(judged.now_ms)
    return true
  }

  async #lastBatch(cause: unknown): Promise<number> {
    try {
      const database = await this.connected()
      await lockedHead(database)
      const { rows } = await database.query('SELECT last_batch FROM writers WHERE writer_id = $1', [
        this.#writer_id,
      ])
      await database.query('ROLLBACK')
      return rows[0] === undefined ? 0 : integer(rows[0].last_batch)
    } catch {
      await this.#forgetAll()
      throw new StoreError('the connection was lost while committing', 'unknown', cause)
    }
  }

  /**
   * An answer without its own commit relies on what is stored. That may be missing on the standby if this connection
   * has committed nothing yet, or if another node stored the answer. New people of such a batch aren't stored.
   */
  async #wroteNothing<T>(judged: JudgedBatch<T>): Promise<JudgedBatch<T>> {
    if (judged.touches_people) this.#memory.forgetStates()
    if (judged.is_repeated) this.#replication.doubt()
    await this.#confirm(judged.now_ms)
    return judged
  }

  /** Confirms that the standbys have everything committed: a later commit on this connection waits for all of it. */
  async #confirm(now_ms: number): Promise<void> {
    if (this.#replication.isConfirmed) return
    try {
      const database = await this.connected()
      this.#replication.beforeCommit()
      await database.query(OWN_COMMIT, [this.#writer_id, now_ms])
      this.#replication.onCommit()
      if (!this.#replication.isConfirmed) throw new Error('the database stopped waiting for its standby')
    } catch (cause) {
      await this.#forgetAll()
      throw new StoreError('the commit may be missing on the standby', 'unknown', cause)
    }
  }
}

/** The head's batch, and whether any of these requests was answered before. */
const CURRENT = `
  SELECT batch, EXISTS (SELECT FROM ${keptReplays('$1', '$2')}) AS is_repeated FROM log_head WHERE single = 1`

/** Commits without a batch: only the time when this writer was last seen changes. */
const OWN_COMMIT = `
  INSERT INTO writers (writer_id, last_batch, seen_ms) VALUES ($1, 0, $2)
  ON CONFLICT (writer_id) DO UPDATE SET seen_ms = excluded.seen_ms`

/** Begins a transaction that holds the head, in one round trip. The second statement sees the head as locked. */
async function lockedHead(database: Client): Promise<Head> {
  // For several statements in one text, the driver returns a list of results.
  const answers = (await database.query(`BEGIN; ${HEAD} FOR UPDATE`)) as unknown as { rows: Row[] }[]
  return headOf(answers[1]?.rows[0])
}

/** Returns the outcome of the judges. Undefined if they asked for a fact that isn't loaded. */
function attempt<T>(judge: Judge<T>, batch: BatchFacts): JudgeOutcome<T> | undefined {
  try {
    const judged = judge(batch.facts)
    return batch.isIncomplete() ? undefined : judged
  } catch (error) {
    // A judge may have failed because a fact was missing.
    if (batch.isIncomplete()) return undefined
    throw error
  }
}

function writesNothing({ changes, settles }: JudgedBatch<unknown>): boolean {
  return (
    !settles &&
    changes.leaves.length === 0 &&
    changes.replays.length === 0 &&
    changes.checkpoints.length === 0 &&
    changes.states.size === 0 &&
    changes.approvals.size === 0 &&
    changes.vouch_scores.size === 0 &&
    changes.forget_replays_before_ms === undefined &&
    !changes.probe
  )
}
