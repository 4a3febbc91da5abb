import type { Candidate, HeardPhrase } from '../audio/hear-phrase.ts'
import { LEAST_MARGIN, marginOf } from './heard-digits.ts'

/** How much less likely the phrase with the word may be than the same sound without it. */
const LEAST_GAIN = -1

/**
 * Whether the secret word was said next to digits. In other speech the word is never heard, because the best phrases
 * with it and without it are equally wrong.
 */
export function hasDuressWord(phrase: HeardPhrase): boolean {
  const with_word = phrase.candidates.find(({ word }) => word !== 'absent')
  const without = phrase.candidates.find(({ word }) => word === 'absent')
  if (with_word === undefined || marginOf(with_word, phrase) < LEAST_MARGIN) return false
  return with_word.log_likelihood - likelihood(without) >= LEAST_GAIN
}

function likelihood(candidate: Candidate | undefined): number {
  return candidate?.log_likelihood ?? Number.NEGATIVE_INFINITY
}
