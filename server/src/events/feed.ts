import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'
import type { LeafType } from '../log/leaf.ts'
import type { ReadStore } from '../store/port.ts'
import { type DecodedLeaf, decodeLeaf, type LoggedChange } from './change.ts'
import type { EventNumbers } from './event-numbers.ts'
import {
  changesIn,
  FeedSubscription,
  type PastPage,
  type SubscribeOptions,
  wanted,
} from './feed-subscription.ts'
import { changeKeys, type EventInterest, interestKeys } from './interest.ts'
import { LeafNameReader } from './leaf-names.ts'

/** Leaves that are read and decoded at once. Subscribers that catch up together share whole pages. */
const PAGE = 256
const PAGES_KEPT = 16
/** Finds commits of other nodes whose hint was lost. */
const POLL_MS = 1_000
/** The shortest time between two reads, so that one read and one write serve many commits. */
const REST_MS = 5

export interface FeedOptions {
  readonly reader: ReadStore
  readonly numbers: EventNumbers
  onTrouble(cause: unknown, what: string): void
}

/** A person, and a leaf that revokes something of theirs. */
export interface RevokedPerson {
  readonly human_ref: string
  readonly log_index: number
}

export interface FeedPage {
  readonly changes: readonly LoggedChange[]
  /** The next page begins at this index. */
  readonly next: number
  /** The size of the log. */
  readonly log_size: number
}

/**
 * Hands the log's leaves to subscribers that may see them, in order, from any index on. Each leaf is read and decoded
 * once for all subscribers; those that start in the past read pages until they have caught up. Without subscribers,
 * nothing is read.
 */
export class EventFeed {
  readonly numbers: EventNumbers
  readonly #reader: ReadStore
  readonly #names: LeafNameReader
  readonly #onTrouble: FeedOptions['onTrouble']
  /** The next leaf to read for all followers. */
  #tail = 0
  /** Every subscription: those that catch up, and those that follow. */
  readonly #open = new Set<FeedSubscription>()
  readonly #following = new Set<FeedSubscription>()
  readonly #filed = new Map<string, Set<FeedSubscription>>()
  /** How many times a subscription has started to follow. */
  #joined = 0
  /** How many interests cover actions of all agents and workflows, by event type; undefined stands for any type. */
  readonly #wide = new Map<string | undefined, number>()
  readonly #pages = new Map<number, Promise<readonly DecodedLeaf[]>>()
  #run: Promise<void> | undefined
  #isAgain = false
  #isClosed = false
  #poll: NodeJS.Timeout | undefined

  constructor({ reader, numbers, onTrouble }: FeedOptions) {
    this.numbers = numbers
    this.#reader = reader
    this.#names = new LeafNameReader(reader, numbers)
    this.#onTrouble = onTrouble
  }

  /** Must be called after a commit, here or on another node. Costs nothing without subscribers. */
  readonly wake = (): void => {
    if (this.#following.size === 0 || this.#isClosed) return
    this.#isAgain = true
    this.#run ??= this.#advance().finally(() => {
      this.#run = undefined
      if (this.#isAgain) this.wake()
    })
  }

  /** Number of open subscriptions. */
  get subscriptions(): number {
    return this.#open.size
  }

  /** Every leaf below this index was handed out to the followers. */
  get handed_out(): number {
    return this.#tail
  }

  /** The size of the log. */
  async size(): Promise<number> {
    return (await this.#reader.log.head()).size
  }

  /** Reads the changes of at most `limit` leaves from an index on, including those that a subscriber may not see. */
  async read(from: number, limit: number = PAGE): Promise<FeedPage> {
    const log_size = await this.size()
    const next = Math.min(from + limit, log_size)
    const decoded = await this.#decoded(from, next)
    return { changes: changesIn(decoded), next: Math.max(next, from), log_size }
  }

  /** Reads the changes that an interest covers, among at most `limit` leaves from an index on. */
  async readFor(interest: EventInterest, from: number, limit: number = PAGE): Promise<FeedPage> {
    const page = await this.read(from, limit)
    return { ...page, changes: await wanted(page.changes, interest) }
  }

  /** The tenants of people that leaves revoke, by their ref. People without stored data are left out. */
  async tenantsOfPeople(revoked: readonly RevokedPerson[]): Promise<ReadonlyMap<string, string>> {
    const tenants = new Map<string, string>()
    const newest = new Map<string, number>()
    for (const { human_ref, log_index } of revoked)
      newest.set(human_ref, Math.max(log_index, newest.get(human_ref) ?? 0))
    if (newest.size === 0) return tenants
    const log_size = await this.size() // makes a standby answer only if it has everything that is in the log now
    for (const [human_ref, log_index] of newest) {
      const tenant_id = await this.#names.tenantOfRevoked(human_ref, log_index, log_size)
      if (tenant_id !== undefined) tenants.set(human_ref, tenant_id)
    }
    return tenants
  }

  subscribe(options: SubscribeOptions): FeedSubscription {
    const subscription = new FeedSubscription(options, {
      read: (from) => this.#pageFrom(from),
      tail: () => this.#tail,
      join: (subscription) => this.#join(subscription),
      leave: (subscription) => this.#leave(subscription),
      onTrouble: (cause) => this.#onTrouble(cause, 'events could not be read'),
    })
    if (this.#isClosed) subscription.close()
    else this.#open.add(subscription)
    return subscription
  }

  /** Ends every subscription. */
  async close(): Promise<void> {
    this.#isClosed = true
    clearInterval(this.#poll)
    for (const subscription of [...this.#open]) subscription.close()
    await this.#run
  }

  /** Lets a subscription follow if it has read everything that was handed out. */
  #join(subscription: FeedSubscription): boolean {
    if (this.#isClosed) return false
    if (this.#following.size === 0) this.#tail = subscription.next
    if (subscription.next < this.#tail) return false // it reads on until it has everything that was handed out
    this.#following.add(subscription)
    this.#joined += 1
    for (const key of interestKeys(subscription.interest)) {
      this.#file(key).add(subscription)
      this.#countWide(key, subscription.interest, 1)
    }
    this.#poll ??= setInterval(this.wake, POLL_MS).unref()
    this.wake()
    return true
  }

  #file(key: string): Set<FeedSubscription> {
    const filed = this.#filed.get(key) ?? new Set()
    this.#filed.set(key, filed)
    return filed
  }

  #leave(subscription: FeedSubscription): void {
    if (subscription.isClosed) this.#open.delete(subscription)
    if (!this.#following.delete(subscription)) return
    for (const key of interestKeys(subscription.interest)) {
      const filed = this.#filed.get(key)
      filed?.delete(subscription)
      this.#countWide(key, subscription.interest, -1)
      if (filed?.size === 0) this.#filed.delete(key)
    }
    if (this.#following.size > 0) return
    clearInterval(this.#poll)
    this.#poll = undefined
  }

  async #advance(): Promise<void> {
    try {
      while (this.#isAgain && this.#following.size > 0 && !this.#isClosed) {
        this.#isAgain = false
        await this.#readOn()
        await sleep(REST_MS)
      }
    } catch (cause) {
      this.#isAgain = false // the poll tries again
      this.#onTrouble(cause, 'events could not be read')
    }
  }

  async #readOn(): Promise<void> {
    const size = await this.size()
    while (this.#tail < size && this.#following.size > 0) {
      const start = this.#tail
      const texts = await this.#reader.log.leaves(start, Math.min(start + PAGE, size))
      const joined = this.#joined
      const decoded = await this.#decodeAll(texts, start, (text) => this.#isWanted(text))
      // A subscription that joined in the meantime may want leaves that were left out.
      const whole = this.#joined === joined ? decoded : await this.#decodeAll(texts, start)
      if (this.#tail !== start) return // all followers left in the meantime, and others began elsewhere
      this.#tail = start + texts.length
      this.#handOut(whole)
      if (texts.length === 0) return
      await nextTurn()
    }
  }

  #handOut(decoded: readonly DecodedLeaf[]): void {
    const told = new Set<FeedSubscription>()
    for (const { leaf, log_index, change } of decoded) {
      if (WATCHED_LEAVES.has(leaf.type))
        for (const subscription of this.#following)
          if (subscription.watch(log_index, leaf)) told.add(subscription)
      if (change === undefined) continue
      for (const key of changeKeys(change))
        for (const subscription of this.#filed.get(key) ?? [])
          if (subscription.offer(change)) told.add(subscription)
    }
    for (const subscription of told) subscription.ring()
  }

  /** Reads a page for a subscriber that catches up: from an index to the end of the page that contains it. */
  async #pageFrom(from: number): Promise<PastPage> {
    const size = await this.size()
    const next = Math.min(from - (from % PAGE) + PAGE, size)
    return { decoded: await this.#decoded(from, next), next: Math.max(next, from), is_last: next >= size }
  }

  /** Decodes the leaves from `from` to `end`. Caches whole pages for a while. */
  async #decoded(from: number, end: number): Promise<DecodedLeaf[]> {
    const all: DecodedLeaf[] = []
    for (let at = from; at < end; ) {
      const start = at - (at % PAGE)
      const isWhole = end >= start + PAGE
      const page = isWhole ? await this.#page(start) : await this.#decode(at, end)
      all.push(...(at === start ? page : page.filter(({ log_index }) => log_index >= at)))
      at = start + PAGE
    }
    return all
  }

  #page(start: number): Promise<readonly DecodedLeaf[]> {
    const known = this.#pages.get(start)
    if (known !== undefined) return known
    for (const oldest of this.#pages.keys()) {
      if (this.#pages.size < PAGES_KEPT) break
      this.#pages.delete(oldest)
    }
    const page = this.#decode(start, start + PAGE)
    this.#pages.set(start, page)
    page.catch(() => this.#pages.delete(start))
    return page
  }

  /**
   * False if the text shows that no subscriber wants the leaf, which then isn't even parsed. Most leaves are actions.
   */
  #isWanted(text: string): boolean {
    const at = text.indexOf(ACTION_TYPE)
    if (at === -1 || this.#wide.has(undefined)) return true
    if (this.#wide.size > 0 && this.#wide.has(actionEventIn(text, at))) return true
    const agent_id = memberIn(text, AGENT_MEMBER)
    const provenance_ref = memberIn(text, WORKFLOW_MEMBER)
    return this.#filed.has(`a ${agent_id}`) || this.#filed.has(`p ${provenance_ref}`)
  }

  #countWide(key: string, { filter: { types } }: EventInterest, change: 1 | -1): void {
    // Leaves of actions name their agent and their workflow, and may be about a token that they don't name.
    if (key.startsWith('a ') || key.startsWith('p ')) return
    for (const type of types ?? [undefined]) {
      if (type?.startsWith('action.') === false) continue
      const count = (this.#wide.get(type) ?? 0) + change
      if (count === 0) this.#wide.delete(type)
      else this.#wide.set(type, count)
    }
  }

  async #decode(start: number, end: number): Promise<readonly DecodedLeaf[]> {
    return this.#decodeAll(await this.#reader.log.leaves(start, end), start)
  }

  async #decodeAll(
    texts: readonly string[],
    start: number,
    isWanted: (text: string) => boolean = () => true,
  ): Promise<readonly DecodedLeaf[]> {
    const decoded: DecodedLeaf[] = []
    for (const [offset, text] of texts.entries()) {
      if (!isWanted(text)) continue
      const one = decodeLeaf(text, start + offset, this.#names)
      decoded.push(one instanceof Promise ? await one : one)
    }
    return decoded
  }
}

const TYPE_MEMBER = '"type":"'
const ACTION_TYPE = `${TYPE_MEMBER}action.`
const AGENT_MEMBER = '"agent_id":"agent:'
const WORKFLOW_MEMBER = '"provenance_ref":"'

/** The value of a member in a leaf's text. Names of agents and workflows contain no characters that JSON escapes. */
function memberIn(text: string, member: string): string {
  const start = text.indexOf(member) + member.length
  return text.slice(start, text.indexOf('"', start))
}

/** The event type of an action's leaf. */
function actionEventIn(text: string, at: number): string {
  const start = at + TYPE_MEMBER.length
  const type = text.slice(start, text.indexOf('"', start))
  return type === 'action.recorded' ? 'action.completed' : type
}

/** Leaves after which a credential may no longer be valid. Only these are passed to `watch`. */
const WATCHED_LEAVES: ReadonlySet<LeafType> = new Set([
  'session.ended',
  'registry.changed',
  'token.revoked',
  'token.suspended',
  'agent.revoked',
  'agent.suspended',
  'human.revoked',
  'human.erased',
  'key.withdrawn',
])
