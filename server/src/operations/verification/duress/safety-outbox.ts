/**
 * Sends alerts about coercion, in the background. The outbox is the registry: the notes of all verifications and of all
 * changes of a sign, which are durable with their results. The ephemeral store has a mark for each handled note,
 * including ordinary ones, so that the marks reveal nothing.
 */
import { randomInt } from 'node:crypto'
import type { EphemeralEntry, EphemeralStore } from '../../../store/ephemeral.ts'
import type { KeptEntry, RegistryReader } from '../../../store/port/registry.ts'
import type { SafetyChannel } from '../../../verification/safety-channel.ts'
import { type SafetyNote, safetyNoteIn } from '../../safety/safety-notes.ts'

const DAY_MS = 24 * 3600 * 1000
/** How long sending an alert is attempted. After that it is only in the desk's list. */
export const ALERT_TRIED_MS = 7 * DAY_MS
/** Marks outlive the notes that are checked, so that no note is ever handled twice. */
const MARKED_MS = ALERT_TRIED_MS + DAY_MS
/** How long one attempt may take before another node makes the next one. */
const ATTEMPT_MS = 60_000
const FIRST_PAUSE_MS = 5_000
const LONGEST_PAUSE_MS = 300_000
const PAGE_LIMIT = 100
/** The delay before a note is handled. By then its call has been answered, unless the service is overloaded. */
const SOONEST_MS = 250
const LATEST_MS = 750

export interface SafetyOutboxOptions {
  readonly registry: RegistryReader
  readonly ephemeral: EphemeralStore
  readonly clock: () => number
  readonly channel: SafetyChannel
}

/** The progress of a note. */
interface Mark {
  readonly done: boolean
  readonly attempts: number
  /** The next attempt is made no earlier than this. */
  readonly next_ms: number
}

export class SafetyOutbox {
  readonly #options: SafetyOutboxOptions
  /** Notes at or above `#from` that need nothing more. */
  readonly #done = new Set<string>()
  /** Every note below this log index is done or too old. */
  #from = 0
  #running: Promise<void> | undefined
  #isAskedAgain = false

  constructor(options: SafetyOutboxOptions) {
    this.#options = options
  }

  /**
   * Handles the notes after a short random delay, and never fails. Sending an alert takes time on the thread that
   * answers calls, so it must happen neither before the call that raised it is answered, nor at a fixed delay after it.
   */
  runSoon(): void {
    const look = () => this.runOnce().catch(() => {}) // a later run finds the same notes
    setTimeout(look, randomInt(SOONEST_MS, LATEST_MS)).unref()
  }

  /** Handles every unfinished note once. Calls that arrive meanwhile share one further run. */
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

  /** Yields the entries from `#from` on, newest first. */
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

  /** Handles a note if it is due. False if something is left to do. */
  async #isDealtWith(entry: KeptEntry): Promise<boolean> {
    const note = safetyNoteIn(entry)
    if (note === undefined || this.#isTooOld(note)) return true
    const { clock } = this.#options
    const mark = await this.#claim(entry.id)
    if (mark === undefined) return false
    if (mark.done) return true
    const done = !note.duress || (await this.#isSent(entry, note))
    // A crash before this line leaves a mark that is soon due again: the alert is sent again, with the same webhook-id.
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
   * Claims a note for this node. Returns its mark, or undefined if it isn't due or another node has claimed it. A
   * machine crash may lose a mark, because marks don't wait for the disk. The alert is then sent again with the same
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
    // All values have the same length, whether or not an alert was sent.
    return {
      key,
      value: value.padEnd(64),
      owner: undefined,
      expires_at_ms: this.#options.clock() + MARKED_MS,
    }
  }

  #isTooOld({ at }: SafetyNote): boolean {
    return Date.parse(at) + ALERT_TRIED_MS < this.#options.clock()
  }
}

function markIn({ value }: EphemeralEntry): Mark {
  const { done, attempts, next_ms } = JSON.parse(value) // only `#marked` writes such entries
  return { done: done === 1, attempts, next_ms }
}

function pauseAfter(attempts: number): number {
  return Math.min(FIRST_PAUSE_MS * 2 ** attempts, LONGEST_PAUSE_MS)
}

/** Whether an alert has reached its receiver, according to the marks. */
export async function isAlertSent(alert_id: string, ephemeral: EphemeralStore): Promise<boolean> {
  const known = await ephemeral.get('alert', alert_id)
  return known !== undefined && markIn(known).done
}
