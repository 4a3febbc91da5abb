import { setImmediate } from 'node:timers/promises'
import { AuthorityError, invalidField, loggedAgent } from '@deputize/protocol'
import type { VouchScore } from '@deputize/protocol/trust'
import type { Clerk } from '../clerk/clerk.ts'
import { isoInstant } from '../domain/times/time.ts'
import type { AskedScore } from '../domain/vouch.ts'
import type { ReadStore } from '../store/port.ts'
import type { LedgerState, Neighbourhood } from './messages.ts'
import { type Ranking, Rankings } from './rankings.ts'
import { type AnswerAsOf, SCORES_AT_ONCE, type ScoringThread, startScoringThread } from './scoring-thread.ts'
import { trustUnavailable } from './trust-unavailable.ts'

interface AskedSubject {
  /** As the log names it. */
  readonly subject: string
  readonly context: string | undefined
  readonly as: string | undefined
  /** The size of the log, or undefined for the current one. */
  readonly at: number | undefined
}

/**
 * Scores from the vouches in the log. They are computed in a separate thread, from the leaves alone, so nothing else
 * waits for them. An answer covers everything that was committed before the question. Rejects with `trust_unavailable`
 * if there are too many calls at once, or if there is no answer after five seconds, for instance while the graph is
 * being loaded.
 */
export interface TrustScores {
  score(request: AskedSubject): Promise<AnswerAsOf<VouchScore>>
  around(subject: string, depth: number): Promise<AnswerAsOf<Neighbourhood>>
  /** Returns a tenant's agents, highest score first. It may be some seconds old. */
  ranking(tenant_id: string, context: string | undefined): Promise<AnswerAsOf<Ranking>>
  /** Computes the scores that tokens ask for and that may have changed, and keeps those that did. */
  keepScores(): Promise<void>
  close(): Promise<void>
}

export interface TrustScoresOptions {
  readonly reader: Pick<ReadStore, 'trust' | 'log'>
  readonly clerk: Pick<Clerk, 'submit'>
  onTrouble(cause: unknown, what: string): void
}

/** Leaves that are read and sent at a time. */
const LEAVES_AT_ONCE = 2_000
const MOST_CALLS = 64
const DEADLINE_MS = 5_000
const MOST_PAST_LEAVES = 200_000
const ASKED_AT_ONCE = 1_000

export function openTrustScores(options: TrustScoresOptions): TrustScores {
  return new ScoresInThread(options)
}

class ScoresInThread implements TrustScores {
  readonly #options: TrustScoresOptions
  readonly #rankings: Rankings
  /** Started with the first question: a deployment without vouches needs no thread. */
  #thread: ScoringThread | undefined
  /** All trust leaves below this index were sent to the thread. */
  #sent = 0
  /** The earlier log that the thread keeps. */
  #past: LedgerState | undefined
  #catchUp: { readonly running: Promise<ScoringThread>; next: Promise<ScoringThread> | undefined } | undefined
  /** Agents whose score may have changed since it was kept. Undefined: any, because the thread is new. */
  #due: Set<string> | undefined
  #lastReplay: Promise<unknown> = Promise.resolve()
  /** Calls that the thread hasn't answered, including those whose callers no longer wait. */
  #calls = 0
  #isClosed = false

  constructor(options: TrustScoresOptions) {
    this.#options = options
    this.#rankings = new Rankings(
      () => this.#upToDate(),
      (cause) => options.onTrouble(cause, 'ranking not computed'),
    )
  }

  score({ subject, context, as, at }: AskedSubject): Promise<AnswerAsOf<VouchScore>> {
    const options = { context, as }
    return this.#withinDeadline(async () => {
      if (at !== undefined) return this.#oneAfterTheOther(() => this.#scoreAt(at, subject, options))
      const thread = await this.#upToDate()
      return thread.ask({ kind: 'score', subject, options })
    })
  }

  around(subject: string, depth: number): Promise<AnswerAsOf<Neighbourhood>> {
    return this.#withinDeadline(async () => {
      const thread = await this.#upToDate()
      return thread.ask({ kind: 'around', subject, depth })
    })
  }

  async ranking(tenant_id: string, context: string | undefined): Promise<AnswerAsOf<Ranking>> {
    const shown = this.#rankings.shown(tenant_id, context)
    return shown ?? this.#withinDeadline(() => this.#rankings.compute(tenant_id, context))
  }

  async keepScores(): Promise<void> {
    const { trust } = this.#options.reader
    let asked = await trust.askedScores('', ASKED_AT_ONCE)
    if (asked.length === 0 || this.#isClosed) return
    const thread = await this.#noteAffected()
    const due = this.#due
    for (let last = asked.at(-1); last !== undefined; last = asked.at(-1)) {
      await this.#keepSome(thread, asked, due)
      asked = asked.length < ASKED_AT_ONCE ? [] : await trust.askedScores(last.agent_id, ASKED_AT_ONCE)
    }
    // A thread that was started in the meantime hasn't reported which scores may have changed.
    if (this.#thread === thread) this.#due = new Set()
  }

  async close(): Promise<void> {
    this.#isClosed = true
    await this.#thread?.close()
  }

  /** Asks once for all pages: scores that change while the pages are read are due the next time. */
  async #noteAffected(): Promise<ScoringThread> {
    const thread = await this.#upToDate()
    const { answer: affected } = await thread.ask({ kind: 'affected' })
    if (this.#due !== undefined) for (const agent of affected) this.#due.add(agent)
    return thread
  }

  async #keepSome(
    thread: ScoringThread,
    asked: readonly AskedScore[],
    due_agents: ReadonlySet<string> | undefined,
  ): Promise<void> {
    if (this.#isClosed) return
    const due = asked.filter(
      ({ agent_id, kept }) => kept === undefined || due_agents?.has(loggedAgent(agent_id)) !== false,
    )
    for (let from = 0; from < due.length; from += SCORES_AT_ONCE)
      await this.#keepChanged(thread, due.slice(from, from + SCORES_AT_ONCE))
  }

  async #keepChanged(thread: ScoringThread, due: readonly AskedScore[]): Promise<void> {
    const subjects = due.map(({ agent_id }) => loggedAgent(agent_id))
    const { answer, as_of } = await thread.ask({ kind: 'scores', subjects, options: {} })
    const scores = due.flatMap(({ agent_id, kept }, index) => {
      const { score } = answer[index] ?? { score: 0 }
      return kept?.score === score ? [] : { agent_id, score, log_size: as_of.log_size }
    })
    if (scores.length > 0) await this.#options.clerk.submit({ kind: 'keep_scores', scores })
  }

  /** Runs replays one at a time. Each takes the thread long, so other questions wait for at most one replay. */
  #oneAfterTheOther<T>(work: () => Promise<T>): Promise<T> {
    const mine = this.#lastReplay.then(work)
    this.#lastReplay = mine.catch(() => {})
    return mine
  }

  /** Replays an earlier log, if it is short enough, unless it is the current one or the one replayed last. */
  async #scoreAt(
    at: number,
    subject: string,
    options: { readonly context: string | undefined; readonly as: string | undefined },
  ): Promise<AnswerAsOf<VouchScore>> {
    const thread = await this.#upToDate()
    if (at === this.#sent) {
      const now = await thread.ask({ kind: 'score', subject, options })
      if (now.as_of.log_size === at) return now
    }
    const kept = this.#past?.log_size === at ? this.#past : undefined
    const state = kept ?? (await this.#stateAt(at))
    if (kept === undefined) await this.#replay(thread, await this.#leavesBefore(at), state)
    const { answer } = await thread.ask({ kind: 'past', log_size: at, subject, options })
    return { answer, as_of: state }
  }

  /** Replays some leaves at a time, so that other questions get their turn in between. */
  async #replay(thread: ScoringThread, leaves: readonly string[], state: LedgerState): Promise<void> {
    this.#past = undefined // if a question fails, the state of the thread is unknown
    for (let from = 0; from === 0 || from < leaves.length; from += LEAVES_AT_ONCE) {
      const end = from + LEAVES_AT_ONCE
      await thread.ask({
        kind: 'replay',
        isFirst: from === 0,
        leaves: leaves.slice(from, end),
        state: end < leaves.length ? undefined : state,
      })
    }
    this.#past = state
  }

  async #stateAt(at: number): Promise<LedgerState> {
    const [last] = at === 0 ? [] : await this.#options.reader.log.leaves(at - 1, at)
    return { log_size: at, log_time: last === undefined ? undefined : timeOfLeaf(last) }
  }

  async #leavesBefore(at: number): Promise<string[]> {
    const { reader } = this.#options
    const leaves: string[] = []
    for (let since = 0; since < at; ) {
      const page = await reader.trust.leaves(since, LEAVES_AT_ONCE)
      const before = page.leaves.filter(({ log_index }) => log_index < at)
      leaves.push(...before.map(({ text }) => text))
      if (leaves.length > MOST_PAST_LEAVES)
        throw invalidField(
          '?at',
          `must be the current size: more than ${MOST_PAST_LEAVES} entries lead to scores`,
        )
      if (before.length < LEAVES_AT_ONCE) break
      since = (before.at(-1)?.log_index ?? at) + 1
      await setImmediate()
    }
    return leaves
  }

  /** Returns the thread once it has every trust leaf that was committed before the call. */
  #upToDate(): Promise<ScoringThread> {
    if (this.#catchUp !== undefined) {
      // The running catch-up may have read the log before this call, so the call waits for the next one, with others.
      this.#catchUp.next ??= this.#catchUp.running.catch(() => {}).then(() => this.#upToDate())
      return this.#catchUp.next
    }
    const running = this.#sendLeaves().finally(() => {
      this.#catchUp = undefined
    })
    this.#catchUp = { running, next: undefined }
    return running
  }

  async #sendLeaves(): Promise<ScoringThread> {
    const { trust } = this.#options.reader
    const thread = this.#startedThread()
    for (;;) {
      const { leaves, log_size, last_ms } = await trust.leaves(this.#sent, LEAVES_AT_ONCE)
      // A new thread would need the leaves from the start.
      if (this.#thread !== thread) throw new Error('the scoring thread ended while the log was read')
      if (log_size === this.#sent) return thread
      const last = leaves.length < LEAVES_AT_ONCE ? undefined : leaves.at(-1)
      const state: LedgerState =
        last === undefined
          ? { log_size, log_time: isoInstant(last_ms) }
          : { log_size: last.log_index + 1, log_time: timeOfLeaf(last.text) }
      await thread.ask({ kind: 'apply', leaves: leaves.map(({ text }) => text), state })
      this.#sent = state.log_size
      if (last === undefined) return thread
      await setImmediate()
    }
  }

  #startedThread(): ScoringThread {
    if (this.#isClosed) throw trustUnavailable('The service is shutting down.')
    this.#thread ??= startScoringThread((cause) => this.#forget(cause))
    return this.#thread
  }

  /** Forgets the thread. The next question starts a new one, which gets all leaves again. */
  #forget(cause: Error): void {
    this.#thread = undefined
    this.#sent = 0
    this.#past = undefined
    this.#due = undefined
    if (!this.#isClosed) this.#options.onTrouble(cause, 'scoring thread ended: it restarts when it is needed')
  }

  async #withinDeadline<T>(work: () => Promise<T>): Promise<T> {
    if (this.#calls >= MOST_CALLS) throw trustUnavailable('Too many scores were requested at once.')
    this.#calls += 1
    const working = work().finally(() => {
      this.#calls -= 1
    })
    let timer: NodeJS.Timeout | undefined
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(trustUnavailable(this.#whyLate())), DEADLINE_MS)
    })
    try {
      return await Promise.race([working, late])
    } catch (error) {
      if (error instanceof AuthorityError) throw error
      this.#options.onTrouble(error, 'score not computed')
      throw trustUnavailable('The scores could not be computed. Another attempt starts from the beginning.')
    } finally {
      clearTimeout(timer)
    }
  }

  #whyLate(): string {
    return this.#catchUp === undefined
      ? 'Computing the score took longer than five seconds.'
      : 'The trust graph is being loaded.'
  }
}

function timeOfLeaf(text: string): string {
  const { at }: { at: string } = JSON.parse(text)
  return at
}
