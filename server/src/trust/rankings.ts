import { AuthorityError } from '@deputize/protocol'
import type { SubjectScore } from './messages.ts'
import { type AnswerAsOf, SCORES_AT_ONCE, type ScoringThread } from './scoring-thread.ts'
import { trustUnavailable } from './trust-unavailable.ts'

export interface Ranking {
  readonly agents: readonly SubjectScore[]
  readonly truncated: boolean
}

interface KeptRanking extends AnswerAsOf<Ranking> {
  readonly made_at_ms: number
}

interface RankingUnderWay {
  readonly tenant_id: string
  readonly ranking: Promise<KeptRanking>
}

/** How long a ranking is shown before it is computed again. */
const KEPT_MS = 5_000
/** An older ranking is no longer shown: the call waits for the next one. */
const SHOWN_MS = 30_000
const MOST_RANKED = 1_000
const MOST_KEPT = 100
/** Rankings that one tenant may wait for. */
const MOST_UNDER_WAY = 4

/**
 * Ranks a tenant's agents by score. A ranking takes the thread seconds in a large graph, so rankings are kept for a
 * while and computed one at a time: a caller who requests many contexts delays rankings, but no single score.
 */
export class Rankings {
  readonly #upToDate: () => Promise<ScoringThread>
  readonly #onTrouble: (cause: unknown) => void
  readonly #kept = new Map<string, KeptRanking>()
  readonly #under_way = new Map<string, RankingUnderWay>()
  #last: Promise<unknown> = Promise.resolve()

  constructor(upToDate: () => Promise<ScoringThread>, onTrouble: (cause: unknown) => void) {
    this.#upToDate = upToDate
    this.#onTrouble = onTrouble
  }

  /** Returns the kept ranking, or undefined if it is missing or too old. Computes the next one if it is due. */
  shown(tenant_id: string, context: string | undefined): AnswerAsOf<Ranking> | undefined {
    const kept = this.#kept.get(nameOf(tenant_id, context))
    const age_ms = kept === undefined ? Number.POSITIVE_INFINITY : performance.now() - kept.made_at_ms
    if (age_ms > SHOWN_MS) return undefined
    if (age_ms >= KEPT_MS)
      this.#next(tenant_id, context).catch((cause) => {
        if (!(cause instanceof AuthorityError)) this.#onTrouble(cause)
      })
    return kept
  }

  /** Computes a ranking. A context without vouches shares the ranking without a context, which isn't computed twice. */
  async compute(tenant_id: string, context: string | undefined): Promise<AnswerAsOf<Ranking>> {
    if (context === undefined) return this.#next(tenant_id, undefined)
    const thread = await this.#upToDate()
    const { answer: isKnown } = await thread.ask({ kind: 'has_context', context })
    if (isKnown) return this.#next(tenant_id, context)
    return this.shown(tenant_id, undefined) ?? this.#next(tenant_id, undefined)
  }

  #next(tenant_id: string, context: string | undefined): Promise<KeptRanking> {
    const name = nameOf(tenant_id, context)
    const known = this.#under_way.get(name)
    if (known !== undefined) return known.ranking
    const others = [...this.#under_way.values()].filter((one) => one.tenant_id === tenant_id)
    if (others.length >= MOST_UNDER_WAY)
      return Promise.reject(trustUnavailable('Too many rankings were requested at once.'))
    const ranking = this.#last
      .then(() => this.#ranked(tenant_id, context))
      .then((made) => this.#keep(name, made))
      .finally(() => this.#under_way.delete(name))
    this.#last = ranking.catch(() => {})
    this.#under_way.set(name, { tenant_id, ranking })
    return ranking
  }

  #keep(name: string, made: KeptRanking): KeptRanking {
    if (this.#kept.size >= MOST_KEPT) this.#kept.clear()
    this.#kept.set(name, made)
    return made
  }

  async #ranked(tenant_id: string, context: string | undefined): Promise<KeptRanking> {
    const thread = await this.#upToDate()
    const question = { kind: 'vouched_agents', tenant_id, context, most: MOST_RANKED } as const
    const { answer, as_of } = await thread.ask(question)
    const { agents, truncated } = answer
    const scored: SubjectScore[] = []
    for (let from = 0; from < agents.length; from += SCORES_AT_ONCE) {
      const subjects = agents.slice(from, from + SCORES_AT_ONCE)
      scored.push(...(await thread.ask({ kind: 'scores', subjects, options: { context } })).answer)
    }
    const ranked = scored
      .filter(({ flow }) => flow > 0)
      .sort((a, b) => b.flow - a.flow || (a.subject < b.subject ? -1 : 1))
    return { answer: { agents: ranked, truncated }, as_of, made_at_ms: performance.now() }
  }
}

/** Returns the key of a ranking. No tenant or context contains a line break. */
function nameOf(tenant_id: string, context: string | undefined): string {
  return `${tenant_id}\n${context ?? ''}`
}
