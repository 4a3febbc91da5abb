import type { Candidate, HeardPhrase } from '../audio/hear-phrase.ts'

/** By how much the phrase with the word may be less likely than the same sound without it. */
const LEAST_GAIN = -1

/**
 * Whether the secret word was said beside the digits. A word that was not said costs the phrase ten times what is
 * allowed here, because the recogniser must then write a word for which there is no sound.
 */
export function hasDuressWord({ candidates }: HeardPhrase): boolean {
  const [with_word] = candidates.filter(({ word }) => word !== 'absent')
  const [without] = candidates.filter(({ word }) => word === 'absent')
  return with_word !== undefined && likelihood(with_word) - likelihood(without) >= LEAST_GAIN
}

function likelihood(candidate: Candidate | undefined): number {
  return candidate?.log_likelihood ?? Number.NEGATIVE_INFINITY
}
