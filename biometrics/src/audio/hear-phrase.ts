import {
  continueDecoding,
  type DecoderRows,
  END_TOKEN,
  type Heard,
  listen,
  type Moonshine,
  startDecoding,
} from './moonshine.ts'
import { type Grammar, NOTHING_SAID, nextTokens, type Phrase } from './spoken-grammar.ts'

/** Hypotheses kept at each token, and how many of them are kept for the extra word, however unlikely it is. */
const BEAM = 6
const BEAM_WITH_WORD = 2
/** A hypothesis this much less likely than a finished phrase is dropped. */
const GIVE_UP = 6
const MOST_TOKENS = 32

/** A phrase of the grammar with its log-likelihood, summed over the ways of writing it. */
export interface Candidate {
  readonly digits: string
  readonly word: Phrase['word']
  readonly log_likelihood: number
}

export interface HeardPhrase {
  /** Most likely first. */
  readonly candidates: readonly Candidate[]
  /** Log-likelihood of the text that the net writes if it may write any text that isn't empty. */
  readonly free_log_likelihood: number
}

interface Hypothesis {
  readonly phrase: Phrase
  readonly score: number
  readonly row: number
  readonly token: number
}

/**
 * Finds what was said, among the phrases of `grammar`. The same pass also writes freely, one token at a time: a grammar
 * always finds something, and only the comparison distinguishes digits from other speech and from noise.
 */
export async function hearPhrase(
  moonshine: Moonshine,
  samples: Float32Array,
  grammar: Grammar,
): Promise<HeardPhrase> {
  const heard = await listen(moonshine, samples)
  const search = new PhraseSearch(grammar)
  let rows = await startDecoding(moonshine, heard)
  for (let at = 0; at < MOST_TOKENS; at += 1) {
    const chosen = search.extend(rows)
    if (chosen.length === 0) break
    rows = await continueRows(moonshine, heard, rows, chosen)
  }
  return search.result()
}

function continueRows(
  moonshine: Moonshine,
  heard: Heard,
  rows: DecoderRows,
  chosen: readonly { readonly row: number; readonly token: number }[],
): Promise<DecoderRows> {
  const parents = chosen.map(({ row }) => row)
  return continueDecoding(
    moonshine,
    heard,
    rows,
    parents,
    chosen.map(({ token }) => token),
  )
}

class PhraseSearch {
  readonly #grammar: Grammar
  readonly #finished = new Map<string, Candidate>()
  #live: readonly Hypothesis[] = [{ phrase: NOTHING_SAID, score: 0, row: 0, token: 0 }]
  #free: { row: number; score: number; done: boolean } = { row: 0, score: 0, done: false }
  #is_start = true

  constructor(grammar: Grammar) {
    this.#grammar = grammar
  }

  /** Adds one token. Returns the rows to compute next: the live hypotheses, then the free text until it ends. */
  extend(rows: DecoderRows): { row: number; token: number }[] {
    const free_token = this.#extendFree(rows)
    const extended = this.#live.flatMap((hypothesis) => this.#continuations(hypothesis, rows))
    for (const hypothesis of extended) if (hypothesis.token === END_TOKEN) this.#finish(hypothesis)
    const kept = this.#best(extended.filter(({ token }) => token !== END_TOKEN))
    this.#live = kept.map((hypothesis, row) => ({ ...hypothesis, row }))
    const next = kept.map(({ row, token }) => ({ row, token }))
    if (free_token === undefined) return next
    next.push({ row: this.#free.row, token: free_token })
    this.#free.row = kept.length
    return next
  }

  result(): HeardPhrase {
    const candidates = [...this.#finished.values()].sort((a, b) => b.log_likelihood - a.log_likelihood)
    return { candidates, free_log_likelihood: this.#free.score }
  }

  #continuations(hypothesis: Hypothesis, rows: DecoderRows): Hypothesis[] {
    const next = rows.next[hypothesis.row]
    return nextTokens(hypothesis.phrase, this.#grammar).map(([token, phrase]) => {
      const score = hypothesis.score + (next?.[token] ?? Number.NEGATIVE_INFINITY)
      return { phrase, score, row: hypothesis.row, token }
    })
  }

  #finish({ phrase, score }: Hypothesis): void {
    const key = `${phrase.digits} ${phrase.word}`
    const known = this.#finished.get(key)?.log_likelihood ?? Number.NEGATIVE_INFINITY
    const log_likelihood = addLogs(known, score)
    this.#finished.set(key, { digits: phrase.digits, word: phrase.word, log_likelihood })
  }

  #best(hypotheses: Hypothesis[]): Hypothesis[] {
    const scores = [...this.#finished.values()].map(({ log_likelihood }) => log_likelihood)
    const floor = Math.max(Number.NEGATIVE_INFINITY, ...scores) - GIVE_UP
    hypotheses.sort((a, b) => b.score - a.score)
    const with_word = hypotheses.filter(({ phrase }) => phrase.word !== 'absent').slice(0, BEAM_WITH_WORD)
    const others = hypotheses.filter((hypothesis) => !with_word.includes(hypothesis))
    const kept = [...with_word, ...others.slice(0, BEAM - with_word.length)]
    return kept.filter(({ score }) => score > floor)
  }

  #extendFree(rows: DecoderRows): number | undefined {
    const next = rows.next[this.#free.row]
    if (this.#free.done || next === undefined) return undefined
    const token = likeliest(next, this.#is_start)
    this.#is_start = false
    this.#free.score += next[token] ?? 0
    this.#free.done = token === END_TOKEN
    return this.#free.done ? undefined : token
  }
}

/**
 * Picks the likeliest token. The net ends a text at once if a sound is unfamiliar, which proves nothing at the start.
 */
function likeliest(next: Float32Array, is_start: boolean): number {
  let best = is_start ? 0 : END_TOKEN
  for (let token = 0; token < next.length; token += 1) {
    if (is_start && token === END_TOKEN) continue
    if ((next[token] ?? 0) > (next[best] ?? 0)) best = token
  }
  return best
}

function addLogs(a: number, b: number): number {
  const higher = Math.max(a, b)
  if (higher === Number.NEGATIVE_INFINITY) return higher
  return higher + Math.log(Math.exp(a - higher) + Math.exp(b - higher))
}
