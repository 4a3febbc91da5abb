/**
 * Handles checks in the background: callbacks that arrived, decisions without a callback, tokens whose revocation was
 * interrupted by a crash, and data that a provider must delete.
 */
import { LEVELS } from '@deputize/protocol'
import { ProviderFailure } from '../../verification/external/port.ts'
import { eachEntry } from '../lists/pages.ts'
import { checkIn, findCheck, isUsableCheck, type KnownCheck } from './check-entries.ts'
import { claimMark, dropMark, dueKeys, moveMark, pauseAfter, refreshMark } from './due-marks.ts'
import { redactOnce } from './redactions.ts'
import { isWatched, type Refreshing, refreshCheck } from './refresh-check.ts'

/** No token is based on a check for longer, so older ones aren't watched. */
const WATCHED_MS = LEVELS.L2.max_lifetime_s * 1000 + 3_600_000
const PENDING_PAUSES = { first_ms: 5_000, most_ms: 120_000 }
const STANDING_PAUSES = { first_ms: 60_000, most_ms: 3_600_000 }
/** How often marks that a crash lost are restored. Also done at startup. */
const SWEEP_MS = 600_000

export class ExternalDesk {
  readonly #context: Refreshing
  readonly #underway = new Set<Promise<void>>()
  #running: Promise<void> | undefined
  #swept_ms = Number.NEGATIVE_INFINITY

  constructor(context: Refreshing) {
    this.#context = context
  }

  /** Handles everything that is due. Concurrent calls share one run. */
  runOnce(): Promise<void> {
    this.#running ??= this.#look().finally(() => {
      this.#running = undefined
    })
    return this.#running
  }

  /** Handles a check now, for a callback or a waiting caller. Returns immediately. */
  wake(id: string): void {
    this.#background(this.#lookAt(id))
  }

  #background(work: Promise<void>): void {
    const look = work.catch(ignoreUntilNextLook)
    this.#underway.add(look)
    look.finally(() => this.#underway.delete(look))
  }

  /** Asks the provider again for a waiting caller, if that is due. Returns immediately. */
  askIfDue(id: string): void {
    this.#background(this.#lookIfDue(id))
  }

  /** Resolves when nothing is in progress. */
  async drained(): Promise<void> {
    await Promise.all([...this.#underway, this.#running])
  }

  async #look(): Promise<void> {
    const { clock } = this.#context
    if (clock() - this.#swept_ms >= SWEEP_MS) {
      await this.#sweep()
      this.#swept_ms = clock()
    }
    for (const key of await dueKeys(this.#context)) await this.#lookIfDue(key)
    await redactOnce(this.#context)
  }

  /** Restores the marks of all checks that are still watched. */
  async #sweep(): Promise<void> {
    const { reader, clock } = this.#context
    for await (const entry of eachEntry((page) => reader.registry.list('external_check', {}, page))) {
      const check = checkIn(entry)
      if (check !== undefined && isWatched(check, clock(), WATCHED_MS))
        await refreshMark(check.id, this.#context)
    }
  }

  async #lookIfDue(id: string): Promise<void> {
    const mark = await claimMark(id, this.#context)
    if (mark === undefined) return
    await this.#lookAt(id, mark.attempts).catch(ignoreUntilNextLook)
  }

  async #lookAt(id: string, attempts = 0): Promise<void> {
    const context = this.#context
    const check = await findCheck(id, context)
    if (check === undefined) return dropMark(id, context)
    const { now, wait_s } = await this.#refreshed(check)
    if (!isWatched(now, context.clock(), WATCHED_MS)) return dropMark(id, context)
    const isChanged = now.document.status !== check.document.status
    const pause = Math.max(wait_s * 1000, pauseOf(now, isChanged ? 0 : attempts))
    const next = { attempts: isChanged ? 0 : attempts + 1, next_ms: context.clock() + pause }
    await moveMark(id, next, context)
  }

  async #refreshed(check: KnownCheck): Promise<{ readonly now: KnownCheck; readonly wait_s: number }> {
    try {
      return { now: await refreshCheck(check, this.#context), wait_s: 0 }
    } catch (error) {
      if (!(error instanceof ProviderFailure)) throw error
      const { provider } = check.document
      this.#context.onNotice('a verification provider did not answer: the request will be repeated', {
        provider,
        reason: error.reason,
      })
      return { now: check, wait_s: error.retry_after_s ?? 0 }
    }
  }
}

function pauseOf({ document }: KnownCheck, attempts: number): number {
  const { first_ms, most_ms } = isUsableCheck(document) ? STANDING_PAUSES : PENDING_PAUSES
  return pauseAfter(attempts, first_ms, most_ms)
}

/** A failed attempt leaves a mark, which becomes due again. */
function ignoreUntilNextLook(): void {}
