/**
 * Sends alerts about coercion, off the path of requests. The outbox is the registry: the notes of all verifications and of
 * all changes of a sign, which are durable with their results. The ephemeral store has a mark of each note that was dealt
 * with, also of ordinary notes, so that the marks reveal nothing.
 */
import { randomInt } from 'node:crypto'
import type { EphemeralEntry, EphemeralStore } from '../../../store/ephemeral.ts'
import type { KeptEntry, RegistryReader } from '../../../store/port/registry.ts'
import type { SafetyChannel } from '../../../verification/safety-channel.ts'
import { type SafetyNote, safetyNoteIn } from '../../safety/safety-notes.ts'

const DAY_MS = 24 * 3600 * 1000
/** How long an alert is tried. Afterwards it is only in the list of the desk. */
const TRIED_MS = 7 * DAY_MS
/** Marks outlive the notes that are looked at, so that no note is ever dealt with twice. */
const MARKED_MS = TRIED_MS + DAY_MS
/** How long one attempt may take before another node makes the next. */
const ATTEMPT_MS = 60_000
const FIRST_PAUSE_MS = 5_000
const LONGEST_PAUSE_MS = 300_000
const PAGE_LIMIT = 100
/** How long after a note it is looked at. By then the call that wrote it is answered, unless the service is overloaded. */
const SOONEST_MS = 250
const LATEST_MS = 750

export interface SafetyOutboxOptions {
  readonly registry: RegistryReader
  readonly ephemeral: EphemeralStore
  readonly clock: () => number
  readonly channel: SafetyChannel
}

/** How far a note is. */
interface Mark {
  readonly done: boolean
  readonly attempts: number
  /** Not before this instant is there another attempt. */
  readonly next_ms: number
}

export class SafetyOutbox {
  readonly #options: SafetyOutboxOptions
  /** Notes that need nothing more, among those not below `#from`. */
  readonly #done = new Set<string>()
  /** Every note below this log index is done or too old. */
  #from = 0
  #running: Promise<void> | undefined
  #isAskedAgain = false

  constructor(options: SafetyOutboxOptions) {
    this.#options = options
  }

  /**
   * Looks at the notes a short while from now, and never fails. Sending an alert takes time of the thread that answers
   * calls, so it must not happen before the answer of the call that raised it, nor at a fixed distance from it.
   */
  runSoon(): void {
    const look = () => this.runOnce().catch(() => {}) // a later look finds the same notes
    setTimeout(look, randomInt(SOONEST_MS, LATEST_MS)).unref()
  }

  /** Looks at every note that is not done, once. Calls that come meanwhile share one further look. */
  runOnce(): Promise<void> {
    if (this.#running !== undefined) {
      this.#isAskedAgain = true
      return this.#running
    }
    this.#running = this.#lookUntilAsked().finally(() => {
      this.#running = undefined
    })
    return this.#running
  }

  async #lookUntilAsked(): Promise<void> {
    do {
      this.#isAskedAgain = false
      await this.#look()
    } while (this.#isAskedAgain)
  }

  async #look(): Promise<void> {
    const waiting: number[] = []
    let newest = this.#from - 1
    for await (const entry of this.#entries()) {
      newest = Math.max(newest, entry.log_index)
      if (!this.#done.has(entry.id) && !(await this.#isDealtWith(entry))) waiting.push(entry.log_index)
      else this.#done.add(entry.id)
    }
    this.#from = Math.min(newest + 1, ...waiting)
    if (waiting.length === 0) this.#done.clear()
  }

  /** The entries from `#from` on, newest first, as long as they are young enough. */
  async *#entries(): AsyncGenerator<KeptEntry> {
    let before: number | undefined
    do {
      const page = await this.#options.registry.list('review', {}, { limit: PAGE_LIMIT, before })
      for (const entry of page.entries) {
        if (entry.log_index < this.#from) return
        yield entry
      }
      before = page.before
    } while (before !== undefined)
  }

  /** Deals with a note if it is due. False if there is something left to do. */
  async #isDealtWith(entry: KeptEntry): Promise<boolean> {
    const note = safetyNoteIn(entry)
    if (note === undefined || this.#isTooOld(note)) return true
    const { clock } = this.#options
    const mark = await this.#claim(entry.id)
    if (mark === undefined) return false
    if (mark.done) return true
    const done = !note.duress || (await this.#isSent(entry, note))
    // A crash before this line leaves a mark whose time is over soon: the alert is sent again, with the same webhook-id.
    await this.#options.ephemeral.replace(
      'alert',
      this.#marked(entry.id, {
        done,
        attempts: mark.attempts + 1,
        next_ms: clock() + pauseAfter(mark.attempts),
      }),
    )
    return done
  }

  #isSent(
    { id, tenant_id, owner = '' }: KeptEntry,
    { at, contacts, about = 'verification' }: SafetyNote,
  ): Promise<boolean> {
    const { channel, clock } = this.#options
    return channel({ alert_id: id, about, tenant_id, human_ref: owner, contacts, at }, clock())
  }

  /**
   * Takes a note for this node: the mark that it had, or undefined while it is not due or another node has it. A crash of
   * the machine may lose a mark, since marks do not wait for the disk: then the alert is sent again with the same
   * webhook-id.
   */
  async #claim(id: string): Promise<Mark | undefined> {
    const { ephemeral, clock } = this.#options
    const claimed = { done: false, attempts: 0, next_ms: clock() + ATTEMPT_MS }
    if (await ephemeral.add('alert', this.#marked(id, claimed))) return claimed
    const known = await ephemeral.get('alert', id)
    if (known === undefined) return undefined
    const mark = markIn(known)
    if (mark.done) return mark
    if (clock() < mark.next_ms) return undefined
    const again = { ...mark, next_ms: clock() + ATTEMPT_MS }
    return (await ephemeral.replace('alert', this.#marked(id, again), known)) ? again : undefined
  }

  #marked(key: string, { done, attempts, next_ms }: Mark): EphemeralEntry {
    const value = JSON.stringify({ done: done ? 1 : 0, attempts, next_ms })
    // One length for all, whether or not an alert was sent.
    return {
      key,
      value: value.padEnd(64),
      owner: undefined,
      expires_at_ms: this.#options.clock() + MARKED_MS,
    }
  }

  #isTooOld({ at }: SafetyNote): boolean {
    return Date.parse(at) + TRIED_MS < this.#options.clock()
  }
}

function markIn({ value }: EphemeralEntry): Mark {
  const { done, attempts, next_ms } = JSON.parse(value) // only `#marked` writes such entries
  return { done: done === 1, attempts, next_ms }
}

function pauseAfter(attempts: number): number {
  return Math.min(FIRST_PAUSE_MS * 2 ** attempts, LONGEST_PAUSE_MS)
}

/** Whether an alert has reached its receiver, as far as the marks know. */
export async function isAlertSent(alert_id: string, ephemeral: EphemeralStore): Promise<boolean> {
  const known = await ephemeral.get('alert', alert_id)
  return known !== undefined && markIn(known).done
}
