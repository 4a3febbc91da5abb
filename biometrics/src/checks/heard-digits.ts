import type { HeardPhrase } from '../audio/hear-phrase.ts'
import type { HeardDigits } from '../contract.ts'

/** The least margin that digits have. Below it something else was said, or nothing at all. */
const LEAST_MARGIN = -1.5

/** Which digits were heard. Compares with `asked` only at the end, so that asking cannot change what is heard. */
export function heardDigits(phrase: HeardPhrase, asked: string): HeardDigits {
  const [best] = phrase.candidates
  if (best === undefined) return { digits: '', matches: false, margin: LEAST_MARGIN * 10 }
  const lost = best.log_likelihood - phrase.free_log_likelihood
  const margin = Math.round((lost / (best.digits.length + 1)) * 100) / 100
  const digits = margin >= LEAST_MARGIN ? best.digits : ''
  return { digits, matches: digits !== '' && digits === asked, margin }
}
