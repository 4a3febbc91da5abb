import { AuthorityError, RANKS, type Rank } from '@deputize/protocol'

/** Whether `rank` reaches `needed`. */
export function outranks(rank: Rank, needed: Rank): boolean {
  return RANKS.indexOf(rank) >= RANKS.indexOf(needed)
}

/** The rank that lifts a suspension. One from before ranks were stored can be lifted by everyone who may resume. */
export function rankToResume(suspended_rank: Rank | undefined): Rank {
  return suspended_rank ?? 'agent'
}

/** Refuses a caller whose rank is below that of the author of a suspension. */
export function assertRank(rank: Rank, suspended_by: Rank): void {
  if (outranks(rank, suspended_by)) return
  const able = RANKS.filter((one) => outranks(one, suspended_by)).map((one) => TITLES[one])
  throw new AuthorityError(
    'rank_too_low',
    `${TITLES[suspended_by]} suspended this, and you act as ${TITLES[rank]}. It can be resumed by ${able.join(' or ')}.`,
    { suspended_by, rank },
  )
}

const TITLES: Readonly<Record<Rank, string>> = {
  agent: 'an agent',
  developer: 'a developer',
  person: 'the person behind it',
  operator: 'an operator',
}
