import type { Candidate, HeardPhrase } from '../audio/hear-phrase.ts'
import type { HeardDigits } from '../contract.ts'

/**
 * The lowest margin that counts as digits. In 88 recordings of digits, correct ones had at least -0.6, and three in
 * noise fell below; 61 other sentences had at most -1.9.
 */
export const LEAST_MARGIN = -1.5

/** Returns the digits that were heard. Compares with `asked` only at the end, so that it can't change what is heard. */
export function heardDigits(phrase: HeardPhrase, asked: string): HeardDigits {
  const [best] = phrase.candidates
  if (best === undefined) return { digits: '', matches: false, margin: LEAST_MARGIN * 10 }
  const margin = marginOf(best, phrase)
  const digits = margin >= LEAST_MARGIN ? best.digits : ''
  return { digits, matches: digits !== '' && digits === asked, margin }
}

/** Returns the log-likelihood lost per digit by hearing this candidate instead of any text. */
export function marginOf(
  { digits, log_likelihood }: Candidate,
  { free_log_likelihood }: HeardPhrase,
): number {
  const lost = log_likelihood - free_log_likelihood
  return Math.round((lost / (digits.length + 1)) * 100) / 100
}
