import type { RatingCounts } from '../../../sdk/node/src/generated/operations.ts'
import { OUTCOMES, RATING_OUTCOMES } from '../words/outcome.ts'

/** Ratings of one kind on one day, where they stand between bad and good. */
interface RatingDot {
  readonly x: number
  readonly y: number
  readonly tone: string
  /** How many of what: status is never told by colour alone. */
  readonly words: string
}

const HEIGHTS = { approved: 1, flagged: 0.5, rejected: 0 } as const
const KINDS = ['approved', 'flagged', 'rejected'] as const

/** A dot for each day and kind of rating that was given on it. */
export function ratingDots(
  days: readonly { readonly day: string; readonly ratings: RatingCounts }[],
): RatingDot[] {
  return days.flatMap(({ day, ratings }) =>
    KINDS.filter((kind) => ratings[kind] > 0).map((kind) => {
      const { tone, word } = OUTCOMES[RATING_OUTCOMES[kind]]
      return { x: Date.parse(day), y: HEIGHTS[kind], tone, words: `${ratings[kind]} ${word}` }
    }),
  )
}

/** `3 good, 1 bad`. Empty: nothing was rated. */
export function ratingWords(ratings: RatingCounts): string {
  return KINDS.filter((kind) => ratings[kind] > 0)
    .map((kind) => `${ratings[kind]} ${OUTCOMES[RATING_OUTCOMES[kind]].word}`)
    .join(', ')
}
