import { END_TOKEN } from './moonshine.ts'
import { COMMA, DIGIT_FIGURES, DIGIT_WORDS, FULL_STOP, HYPHEN, SPACE } from './spoken-tokens.ts'

/**
 * What may be said: a number of digits, and one extra word before or after them. It doesn't name the requested digits.
 */
export interface Grammar {
  readonly digits: number
  /** Spellings of the extra word, each a list of tokens. */
  readonly word: readonly (readonly number[])[]
}

/** A partial text. `last` is what it ends with, which decides what may follow. */
export interface Phrase {
  readonly digits: string
  readonly word: 'absent' | 'before' | 'after'
  readonly last: 'start' | 'word' | 'figure' | 'space' | 'mark' | 'end'
  /** The remaining tokens of a word of several tokens, and the digit that it stands for, if any. */
  readonly pending: readonly number[]
  readonly pending_digit: string
}

export type NextToken = readonly [token: number, phrase: Phrase]

export const NOTHING_SAID: Phrase = {
  digits: '',
  word: 'absent',
  last: 'start',
  pending: [],
  pending_digit: '',
}

/** Returns every token that may follow `phrase`, with the phrase that it leads to. */
export function nextTokens(phrase: Phrase, grammar: Grammar): NextToken[] {
  const [pending, ...rest] = phrase.pending
  if (pending !== undefined) return [[pending, afterPending(phrase, rest)]]
  if (phrase.digits.length < grammar.digits) {
    return [...digitWords(phrase), ...figures(phrase), ...marks(phrase), ...wordBefore(phrase, grammar)]
  }
  return [...closing(phrase), ...wordAfter(phrase, grammar)]
}

function afterPending(phrase: Phrase, rest: readonly number[]): Phrase {
  if (rest.length > 0) return { ...phrase, pending: rest }
  return { ...phrase, digits: phrase.digits + phrase.pending_digit, pending: [], pending_digit: '' }
}

function digitWords(phrase: Phrase): NextToken[] {
  if (phrase.last === 'space') return []
  return DIGIT_WORDS.flatMap((spellings, digit) => {
    return spellings.flatMap((spelling) => begin(phrase, spelling, String(digit)))
  })
}

/** Returns the first token of `spelling`; the others become pending. */
function begin(phrase: Phrase, spelling: readonly number[], digit: string): NextToken[] {
  const [first, ...rest] = spelling
  if (first === undefined) return []
  const begun: Phrase = { ...phrase, last: 'word', pending: rest, pending_digit: digit }
  return [[first, rest.length === 0 ? afterPending(begun, rest) : begun]]
}

function figures(phrase: Phrase): NextToken[] {
  if (phrase.last === 'space' || phrase.last === 'figure') {
    const written = DIGIT_FIGURES.map((token, digit): NextToken => {
      return [token, { ...phrase, digits: phrase.digits + digit, last: 'figure' }]
    })
    if (phrase.last === 'space') return written
    return [...written, [SPACE, { ...phrase, last: 'space' }], [HYPHEN, { ...phrase, last: 'space' }]]
  }
  return [[SPACE, { ...phrase, last: 'space' }]]
}

function marks(phrase: Phrase): NextToken[] {
  if (phrase.last !== 'word' && phrase.last !== 'figure') return []
  return [COMMA, FULL_STOP].map((token) => [token, { ...phrase, last: 'mark' }])
}

function closing(phrase: Phrase): NextToken[] {
  const end: NextToken = [END_TOKEN, { ...phrase, last: 'end' }]
  return phrase.last === 'mark' ? [end] : [end, ...marks(phrase)]
}

function wordBefore(phrase: Phrase, grammar: Grammar): NextToken[] {
  if (phrase.last !== 'start') return []
  return grammar.word.flatMap((spelling) => begin({ ...phrase, word: 'before' }, spelling, ''))
}

function wordAfter(phrase: Phrase, grammar: Grammar): NextToken[] {
  if (phrase.word !== 'absent') return []
  return grammar.word.flatMap((spelling) => begin({ ...phrase, word: 'after' }, spelling, ''))
}
