import type { RatingCounts } from '../../../sdk/node/src/generated/operations.ts'
import { OUTCOMES, RATING_OUTCOMES } from '../words/outcome.ts'

/** Ratings of one kind on one day, placed between bad and good. */
interface RatingDot {
  readonly x: number
  readonly y: number
  readonly tone: string
  /** The count and kind: colour alone never shows status. */
  readonly words: string
}

const HEIGHTS = { approved: 1, flagged: 0.5, rejected: 0 } as const
const KINDS = ['approved', 'flagged', 'rejected'] as const

/** One dot per day and kind of rating given on that day. */
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

/** `3 good, 1 bad`. Empty if nothing was rated. */
export function ratingWords(ratings: RatingCounts): string {
  return KINDS.filter((kind) => ratings[kind] > 0)
    .map((kind) => `${ratings[kind]} ${OUTCOMES[RATING_OUTCOMES[kind]].word}`)
    .join(', ')
}
