import { MILLION } from './capacity.ts'

/** How often agents were rated. */
export interface RatingTally {
  approved: number
  flagged: number
  rejected: number
}

export function noRatings(): RatingTally {
  return { approved: 0, flagged: 0, rejected: 0 }
}

/** Approvals that everyone starts with, so that one bad rating lowers the accuracy without ruining it. */
const CREDIT = 4
const REJECTED_WEIGHT = 4

/**
 * How far a voucher's word has held, in millionths, from the ratings of the agents they vouched for. Never more than 1:
 * approvals only make up for other ratings.
 */
export function accuracyOf({ approved, flagged, rejected }: RatingTally): number {
  const good = approved + CREDIT
  return Math.floor((good * MILLION) / (good + flagged + REJECTED_WEIGHT * rejected))
}
