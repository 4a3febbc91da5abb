/**
 * Sends events to endpoints of every kind: at least once, in log order per lane, with retries that outlive the process.
 * It only reads the log, so recording never waits for it.
 */
import { randomUUID } from 'node:crypto'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { DeliveryStore, DisabledReason, Lease } from '../../store/deliveries.ts'
import type { RegistryKind, RegistryReader } from '../../store/port/registry.ts'
import type { LoggedChange } from '../change.ts'
import type { EventFeed } from '../feed.ts'
import { matches } from '../interest.ts'
import { EndpointDirectory, type KnownEndpoint } from './endpoint-directory.ts'
import { type DeliveryTask, EndpointQueue, type UnsavedProgress } from './endpoint-queue.ts'
import { EndpointReader } from './endpoint-reader.ts'
import type { DeliveryOutcome, EndpointKind } from './port.ts'
import { PACE_WINDOW_MS, SendPace } from './send-pace.ts'

/** A node that stops loses its endpoints after this time, and others look for such endpoints every `LOOK_EVERY_MS`. */
const LEASE_MS = 6_000
const LOOK_EVERY_MS = 2_000
/** Progress is stored together for all endpoints. */
const FLUSH_EVERY_MS = 50
const DUE_EVERY_MS = 250
/** How soon a delivery is prepared again after the store was unavailable. */
const PREPARE_AGAIN_MS = 1_000
/** Concurrent attempts of all endpoints together. */
const AT_ONCE = 256
const DAY_MS = 24 * 3600 * 1000
const KEPT_MS = 7 * DAY_MS
const KEPT_OF_EACH = 100_000
const SWEEP_EVERY_MS = 60_000

export interface DeliveryEngineOptions {
  readonly kinds: readonly EndpointKind[]
  readonly registry: RegistryReader
  readonly store: DeliveryStore
  readonly feed: EventFeed
  readonly clock: () => number
  /** The share of its time that the HTTP thread is busy. 0 if sending can't take time from callers. */
  readonly busy: () => number
  /** Called when an endpoint is disabled, before this is stored, so it may be called again after a crash. */
  readonly onDisabled: (disabled: DisabledEndpoint) => Promise<unknown>
  /** A background task failed; it will be retried. */
  readonly onTrouble: (cause: unknown, what: string) => void
}

export interface DisabledEndpoint {
  readonly endpoint_id: string
  readonly tenant_id: string
  readonly kind: RegistryKind
  readonly reason: DisabledReason
}

/** An endpoint that this node delivers to. */
interface Held {
  readonly lease: Lease
  readonly endpoint_id: string
  readonly queue: EndpointQueue<LoggedChange>
  /** Reads the feed for the endpoint. Replaced when the document changes. */
  reader: EndpointReader
  /** Attempts in flight finish, and no new ones start. */
  isOver: boolean
  /** A newer revision exists, or another node holds the endpoint. The store refuses this one's progress. */
  isLost: boolean
}

export class DeliveryEngine {
  readonly #options: DeliveryEngineOptions
  readonly #holder = randomUUID()
  readonly #directory: EndpointDirectory
  readonly #held = new Map<string, Held>()
  readonly #ready = new Set<Held>()
  readonly #pace: SendPace
  readonly #stopping = new AbortController()
  readonly #timers: NodeJS.Timeout[] = []
  #isStarted = false
  #in_flight = 0
  /** By this process's steady clock. No attempt starts after this time. */
  #held_until = 0
  #looking: Promise<void> | undefined
  #isAskedAgain = false
  #flushing = Promise.resolve()
  #flushTimer: NodeJS.Timeout | undefined
  #paceTimer: NodeJS.Timeout | undefined

  constructor(options: DeliveryEngineOptions) {
    this.#options = options
    this.#directory = new EndpointDirectory(options.kinds, options.registry)
    this.#pace = new SendPace({ busy: options.busy, logSize: () => options.feed.handed_out })
  }

  start(): void {
    this.#isStarted = true
    this.#every(LOOK_EVERY_MS, () => this.look())
    this.#every(DUE_EVERY_MS, async () => this.#wakeDue())
    this.#every(SWEEP_EVERY_MS, () => this.#sweep())
    void this.look()
  }

  /** Call this after endpoints or their deliveries were created, changed or removed on this node. */
  changed(): Promise<void> {
    this.#directory.forget()
    return this.look()
  }

  /** Looks for endpoints that are new or changed. Calls during a look share one further look. Never rejects. */
  look(): Promise<void> {
    if (this.#looking !== undefined) this.#isAskedAgain = true
    this.#looking ??= this.#lookUntilAsked().finally(() => {
      this.#looking = undefined
    })
    return this.#looking
  }

  /** Aborts the attempts in flight, stores the progress and lets other nodes take over. */
  async close(): Promise<void> {
    for (const timer of this.#timers) clearInterval(timer)
    clearTimeout(this.#flushTimer)
    clearTimeout(this.#paceTimer)
    this.#stopping.abort()
    for (const held of this.#held.values()) held.reader.close()
    await this.#looking
    while (this.#in_flight > 0) await new Promise((resolve) => setTimeout(resolve, 10))
    clearTimeout(this.#flushTimer)
    await this.#flush('all')
    await this.#attempted(() => this.#options.store.release(this.#holder), 'leases not released')
  }

  async #lookUntilAsked(): Promise<void> {
    do {
      this.#isAskedAgain = false
      await this.#attempted(() => this.#look(), 'webhooks could not be checked')
      if (this.#isAskedAgain) await nextTurn() // lets attempts in flight end
    } while (this.#isAskedAgain && !this.#stopping.signal.aborted)
  }

  async #look(): Promise<void> {
    const { store } = this.#options
    const fresh = await this.#directory.refresh()
    if (fresh.length > 0) await store.begin(fresh)
    if (!this.#isStarted) return
    if (this.#directory.size === 0 && this.#held.size === 0) return
    const asked_at = performance.now()
    const leases = await store.hold(this.#holder, LEASE_MS)
    this.#held_until = asked_at + LEASE_MS
    await this.#takeOver(leases.filter(({ endpoint_id }) => this.#directory.find(endpoint_id) !== undefined))
    this.#readAsDocumentsSay()
    for (const held of this.#held.values()) this.#wake(held)
    await this.#flush('all')
  }

  /** Starts with endpoints that are new to this node, and stops with those that it lost. */
  async #takeOver(leases: readonly Lease[]): Promise<void> {
    const byId = new Map(leases.map((lease) => [lease.endpoint_id, lease]))
    for (const held of this.#held.values())
      if (byId.get(held.endpoint_id)?.revision !== held.lease.revision) this.#lose(held)
    for (const held of this.#held.values())
      if (held.isOver && held.queue.in_flight === 0) this.#held.delete(held.endpoint_id)
    for (const lease of leases) if (!this.#held.has(lease.endpoint_id)) await this.#begin(lease)
  }

  async #begin(lease: Lease): Promise<void> {
    const { store } = this.#options
    const { endpoint_id } = lease
    const state = await store.state(endpoint_id)
    const known = this.#directory.find(endpoint_id)
    if (state === undefined || known === undefined) return
    const queue = new EndpointQueue<LoggedChange>(state, await store.waiting(endpoint_id))
    if (this.#stopping.signal.aborted) return
    const reader = this.#readerFor(known, queue)
    this.#held.set(endpoint_id, { lease, endpoint_id, queue, reader, isOver: false, isLost: false })
  }

  /** Replaces the readers of changed documents, which may want other events from now on. */
  #readAsDocumentsSay(): void {
    for (const held of this.#held.values()) {
      const known = this.#directory.find(held.endpoint_id)
      if (held.isOver || known === undefined || known === held.reader.known) continue
      held.reader.close()
      held.reader = this.#readerFor(known, held.queue)
    }
  }

  #readerFor(known: KnownEndpoint, queue: EndpointQueue<LoggedChange>): EndpointReader {
    const { endpoint_id } = known.endpoint
    return new EndpointReader(this.#options.feed, known, queue, () => {
      const held = this.#held.get(endpoint_id)
      if (held !== undefined) this.#wake(held)
    })
  }

  /** Lets attempts in flight for the endpoint finish, and starts no more. */
  #end(held: Held): void {
    held.isOver = true
    held.reader.close()
  }

  #lose(held: Held): void {
    held.isLost = true
    this.#end(held)
  }

  #wakeDue(): void {
    for (const held of this.#held.values()) if (held.queue.has_waiting) this.#wake(held)
  }

  #wake(held: Held): void {
    held.reader.wake()
    this.#ready.add(held)
    this.#pump()
  }

  /** Starts attempts for each endpoint in turn, so that a busy one doesn't keep the others waiting. */
  #pump(): void {
    for (const held of this.#ready) {
      if (this.#in_flight >= AT_ONCE || this.#stopping.signal.aborted) return
      const task =
        held.isOver || performance.now() > this.#held_until
          ? undefined
          : held.queue.next(this.#options.clock(), () => this.#pace.take())
      if (task === 'later') {
        this.#pumpLater()
        return
      }
      this.#ready.delete(held)
      if (task === undefined) {
        if (held.queue.has_unsaved) this.#flushSoon()
        continue
      }
      this.#ready.add(held)
      void this.#run(held, task)
    }
  }

  #pumpLater(): void {
    this.#paceTimer ??= setTimeout(() => {
      this.#paceTimer = undefined
      this.#pump()
    }, PACE_WINDOW_MS)
  }

  async #run(held: Held, task: DeliveryTask<LoggedChange>): Promise<void> {
    this.#in_flight += 1
    const started = performance.now()
    const result = await this.#outcomeOf(held, task)
    this.#in_flight -= 1
    // The next holder repeats an attempt that the shutdown cut off. It says nothing about the endpoint.
    if (this.#stopping.signal.aborted && result.outcome !== 'delivered') return
    const now_ms = this.#options.clock()
    const took_ms = Math.round(performance.now() - started)
    const verdict = held.queue.settle(task, { result, now_ms, took_ms, random: Math.random() })
    if (verdict !== 'goes_on' && !held.isOver) await this.#disable(held, verdict)
    this.#flushSoon()
    if (held.isOver) {
      if (held.queue.in_flight === 0) void this.look()
    } else this.#wake(held)
    this.#pump()
  }

  async #outcomeOf(held: Held, task: DeliveryTask<LoggedChange>): Promise<DeliveryOutcome> {
    try {
      const change = task.event ?? (await this.#readOne(task.log_index))
      const known = this.#directory.find(held.endpoint_id)
      if (change === undefined || known === undefined || !isFor(known, change)) return { outcome: 'skip' }
      return await known.kind.send(known.endpoint, await change.event(), {
        number: task.attempts + 1,
        now_ms: this.#options.clock(),
        signal: this.#stopping.signal,
      })
    } catch (error) {
      // The service itself failed, usually because its store was unavailable. The receiver isn't to blame.
      this.#options.onTrouble(error, 'a delivery could not be prepared')
      return { outcome: 'hold', for_ms: PREPARE_AGAIN_MS }
    }
  }

  async #readOne(log_index: number): Promise<LoggedChange | undefined> {
    const { changes } = await this.#options.feed.read(log_index, 1)
    return changes.find((change) => change.log_index === log_index)
  }

  /** The notice goes first: after a crash in between, the endpoint is disabled a little later, with another notice. */
  async #disable(held: Held, reason: DisabledReason): Promise<void> {
    const { store, clock, onDisabled } = this.#options
    const known = this.#directory.find(held.endpoint_id)
    if (known === undefined) return
    this.#end(held)
    const { endpoint_id, tenant_id } = known.endpoint
    await this.#attempted(async () => {
      await this.#flush('rows')
      await onDisabled({ endpoint_id, tenant_id, kind: known.kind.registry_kind, reason })
      await store.disable(endpoint_id, reason, clock())
    }, 'endpoint not disabled')
  }

  #flushSoon(): void {
    this.#flushTimer ??= setTimeout(() => {
      this.#flushTimer = undefined
      void this.#flush('rows')
    }, FLUSH_EVERY_MS)
  }

  /** Stores progress, one write at a time. A cursor that passed only unwanted events can wait, so `rows` skips it. */
  #flush(what: 'rows' | 'all'): Promise<void> {
    this.#flushing = this.#flushing.then(() =>
      this.#attempted(() => this.#writeProgress(what), 'progress of webhooks not stored'),
    )
    return this.#flushing
  }

  async #writeProgress(what: 'rows' | 'all'): Promise<void> {
    const unsaved = [...this.#held.values()].flatMap((held) => {
      if (held.isLost || (what === 'rows' && !held.queue.has_unsaved)) return []
      held.reader.passOn()
      const progress = held.queue.takeProgress()
      return progress === undefined ? [] : { held, progress }
    })
    if (unsaved.length === 0) return
    const lost = await this.#written(unsaved)
    for (const { held, progress } of unsaved) {
      if (lost.has(held.endpoint_id)) this.#lose(held)
      else held.queue.saved(progress)
      this.#wake(held)
    }
    if (lost.size > 0) void this.look()
  }

  async #written(
    unsaved: readonly { readonly held: Held; readonly progress: UnsavedProgress }[],
  ): Promise<ReadonlySet<string>> {
    try {
      const progress = unsaved.map(({ held, progress }) => ({ ...held.lease, ...progress }))
      return new Set(await this.#options.store.write(this.#holder, progress))
    } catch (error) {
      // Nothing was stored, or all of it was but the answer got lost. Writing it again changes nothing.
      for (const { held, progress } of unsaved) held.queue.unsaved(progress)
      throw error
    }
  }

  async #sweep(): Promise<void> {
    const { store, clock } = this.#options
    if (this.#held.size > 0)
      await this.#attempted(() => store.sweep(clock() - KEPT_MS, KEPT_OF_EACH), 'old deliveries not deleted')
  }

  #every(interval_ms: number, task: () => Promise<void>): void {
    this.#timers.push(setInterval(() => void task(), interval_ms))
  }

  async #attempted(task: () => Promise<void>, what: string): Promise<void> {
    try {
      await task()
    } catch (error) {
      this.#options.onTrouble(error, what)
    }
  }
}

/** Whether an endpoint currently wants a change and may see it. */
function isFor({ endpoint }: KnownEndpoint, change: LoggedChange): boolean {
  const { subscriber, filter } = endpoint.interest
  return (
    matches(filter, change) &&
    change.isSeenBy(subscriber) === true &&
    (endpoint.wants === undefined || endpoint.wants(change))
  )
}
