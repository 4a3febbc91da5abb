import { uptime } from 'node:os'

/** The wall clock may differ from the others by this much. */
const MOST_APART_MS = 5_000
/** How far the steady clock follows the wall clock: time servers slew a clock by less than a tenth. */
const MOST_SLEW = 0.1
const FOLLOW_EVERY_MS = 1_000

/** Three clocks of one machine, in milliseconds. */
export interface ClockSources {
  /** The time of day. Setting the clock of the machine moves it. */
  readonly wall: () => number
  /** Advances evenly. On some systems it stands still while the machine sleeps. */
  readonly steady: () => number
  /** Advances evenly, also while the machine sleeps. Coarse, and slower to read. */
  readonly uptime: () => number
}

const MACHINE: ClockSources = {
  wall: Date.now,
  steady: () => performance.now(),
  uptime: () => uptime() * 1000,
}

/**
 * The service's only source of time, for issuing, expiry, the log, replays and reads. It is the wall clock, as long as
 * that agrees with the steady clock and with the database. Otherwise one wrong step of the wall clock would expire
 * every token, and time in the log never goes back.
 */
export class ServiceClock {
  readonly #sources: ClockSources
  #anchor: { readonly time_ms: number; readonly steady_ms: number; readonly uptime_ms: number }
  /** How far the wall clock was ahead of the database when they were last compared. */
  #ahead_of_database_ms = 0
  #isCompared = false
  #floor_ms = 0

  constructor(sources: ClockSources = MACHINE) {
    this.#sources = sources
    this.#anchor = this.#anchorAt(sources.wall())
  }

  /**
   * The time, in whole milliseconds. While the wall clock is wrong, this is the last time at which it was right, plus
   * the time that has passed since.
   */
  readonly now = (): number => {
    const { time_ms, fault } = this.#read()
    return Math.max(fault === undefined ? time_ms : Math.round(this.#expected()), this.#floor_ms)
  }

  /** The time for new leaves. 0 while the clock is wrong: leaves that are logged then get the time of the last leaf. */
  readonly logTime = (): number =>
    this.fault() === undefined ? Math.max(this.#sources.wall(), this.#floor_ms) : 0

  /** What is wrong with the clock, for operators. Undefined while it can be trusted. */
  readonly fault = (): string | undefined => this.#read().fault

  /** How far the wall clock is ahead of the clock that it differs from most, for metrics. Negative: behind. */
  readonly ahead = (): number => {
    const differences = [this.#sources.wall() - this.#expected(), this.#ahead_of_database_ms]
    return differences.reduce((most, one) => (Math.abs(one) > Math.abs(most) ? one : most))
  }

  /**
   * Compares the wall clock with the time of the database. If they agree, the wall clock is right, even after a step. At
   * the first comparison, a node that disagrees takes its time from the database, to answer reads.
   */
  compare(database_ms: number): void {
    const wall_ms = this.#sources.wall()
    this.#ahead_of_database_ms = wall_ms - database_ms
    const agrees = Math.abs(this.#ahead_of_database_ms) <= MOST_APART_MS
    if (agrees && Math.abs(wall_ms - this.#expected()) > MOST_APART_MS) this.#anchor = this.#anchorAt(wall_ms)
    if (!agrees && !this.#isCompared) this.#anchor = this.#anchorAt(database_ms)
    this.#isCompared = true
  }

  /** Stops time until the wall clock reaches this. For a log that is ahead of the clock, if the operator accepts it. */
  standUntil(time_ms: number): void {
    this.#floor_ms = time_ms
  }

  #read(): { readonly time_ms: number; readonly fault: string | undefined } {
    const time_ms = this.#sources.wall()
    const ahead_ms = time_ms - this.#expected()
    if (Math.abs(ahead_ms) > MOST_APART_MS && !this.#hasSlept(ahead_ms))
      return { time_ms, fault: this.#databaseFault() ?? jumpText(ahead_ms) }
    this.#follow(time_ms)
    return { time_ms, fault: this.#databaseFault() }
  }

  #databaseFault(): string | undefined {
    const ahead_ms = this.#ahead_of_database_ms
    return Math.abs(ahead_ms) > MOST_APART_MS ? differenceText(ahead_ms) : undefined
  }

  #expected(): number {
    return this.#anchor.time_ms + this.#sources.steady() - this.#anchor.steady_ms
  }

  /** Whether the machine slept for as long as the wall clock is ahead. Then the wall clock is right. */
  #hasSlept(ahead_ms: number): boolean {
    const { steady, uptime } = this.#sources
    const slept_ms = uptime() - this.#anchor.uptime_ms - (steady() - this.#anchor.steady_ms)
    if (Math.abs(ahead_ms - slept_ms) > MOST_APART_MS) return false
    this.#anchor = this.#anchorAt(this.#expected() + slept_ms)
    return true
  }

  /** Follows a wall clock that is being slewed, but never a clock that runs much too fast or too slow. */
  #follow(wall_ms: number): void {
    const passed_ms = this.#sources.steady() - this.#anchor.steady_ms
    if (passed_ms < FOLLOW_EVERY_MS) return
    const most_ms = passed_ms * MOST_SLEW
    const expected_ms = this.#expected()
    const slewed_ms = Math.min(most_ms, Math.max(-most_ms, wall_ms - expected_ms))
    this.#anchor = this.#anchorAt(expected_ms + slewed_ms)
  }

  #anchorAt(time_ms: number) {
    return { time_ms, steady_ms: this.#sources.steady(), uptime_ms: this.#sources.uptime() }
  }
}

const UNTIL_THEN = 'Until then, only calls that stop an agent or revoke a credential are recorded.'

function jumpText(ahead_ms: number): string {
  return `The clock of this node is ${apartText(ahead_ms)} its steady clock. Correct it; if the new time is right, restart the service. ${UNTIL_THEN}`
}

function differenceText(ahead_ms: number): string {
  return `The clock of this node is ${apartText(ahead_ms)} the clock of the database. Correct the one that is wrong; the node then continues on its own. ${UNTIL_THEN}`
}

function apartText(ahead_ms: number): string {
  return `${Math.round(Math.abs(ahead_ms) / 1000)} s ${ahead_ms > 0 ? 'ahead of' : 'behind'}`
}
