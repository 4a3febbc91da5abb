import { AuthorityError, RANKS, type Rank } from '@deputize/protocol'

/** Whether `rank` reaches `needed`. */
export function outranks(rank: Rank, needed: Rank): boolean {
  return RANKS.indexOf(rank) >= RANKS.indexOf(needed)
}

/** Returns the rank that lifts a suspension. One from before ranks were stored needs only the right to resume. */
export function rankToResume(suspended_rank: Rank | undefined): Rank {
  return suspended_rank ?? 'agent'
}

/** Refuses a caller whose rank is below that of the suspension's author. */
export function assertRank(rank: Rank, suspended_by: Rank, target: 'token' | 'agent'): void {
  if (outranks(rank, suspended_by)) return
  const able = RESUMERS[target].filter((one) => outranks(one, suspended_by)).map((one) => TITLES[one])
  const author = target === 'agent' && suspended_by === 'person' ? 'An alert rule' : capitalized(suspended_by)
  throw new AuthorityError(
    'rank_too_low',
    `${author} suspended this ${target}, and you act as ${TITLES[rank]}. It can be resumed by ${able.join(' or ')}.`,
    { suspended_by, rank },
  )
}

/** People cannot suspend or resume an agent. An alert rule suspends an agent with the rank of a person. */
const RESUMERS: Readonly<Record<'token' | 'agent', readonly Rank[]>> = {
  token: RANKS,
  agent: ['developer', 'operator'],
}

const TITLES: Readonly<Record<Rank, string>> = {
  agent: 'an agent',
  developer: 'a developer',
  person: 'the person behind it',
  operator: 'an operator',
}

function capitalized(rank: Rank): string {
  const title = TITLES[rank]
  return title.charAt(0).toUpperCase() + title.slice(1)
}
