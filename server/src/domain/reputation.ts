import type { Evidence, Rating } from '@deputize/protocol'

/** The sums stored for each agent, so that its reputation is read in constant time. */
export interface AgentTally {
  total_actions: number
  completed_actions: number
  /** Completed actions whose result counts. */
  scored_actions: number
  /** Sum of result scores, in halves to stay an integer. */
  outcome_halves: number
  /** The part of `scored_actions` and `outcome_halves` that a resource server observed. */
  observed_actions: number
  observed_halves: number
  approved: number
  flagged: number
  rejected: number
}

export function emptyTally(): AgentTally {
  return {
    total_actions: 0,
    completed_actions: 0,
    scored_actions: 0,
    outcome_halves: 0,
    observed_actions: 0,
    observed_halves: 0,
    approved: 0,
    flagged: 0,
    rejected: 0,
  }
}

export function addTallies(a: AgentTally, b: AgentTally): AgentTally {
  return {
    total_actions: a.total_actions + b.total_actions,
    completed_actions: a.completed_actions + b.completed_actions,
    scored_actions: a.scored_actions + b.scored_actions,
    outcome_halves: a.outcome_halves + b.outcome_halves,
    observed_actions: a.observed_actions + b.observed_actions,
    observed_halves: a.observed_halves + b.observed_halves,
    approved: a.approved + b.approved,
    flagged: a.flagged + b.flagged,
    rejected: a.rejected + b.rejected,
  }
}

/** Subtracts `part` from `all`. */
export function subtractTally(all: AgentTally, part: AgentTally): AgentTally {
  return {
    total_actions: all.total_actions - part.total_actions,
    completed_actions: all.completed_actions - part.completed_actions,
    scored_actions: all.scored_actions - part.scored_actions,
    outcome_halves: all.outcome_halves - part.outcome_halves,
    observed_actions: all.observed_actions - part.observed_actions,
    observed_halves: all.observed_halves - part.observed_halves,
    approved: all.approved - part.approved,
    flagged: all.flagged - part.flagged,
    rejected: all.rejected - part.rejected,
  }
}

const EXECUTION_WEIGHT = 0.6
const FEEDBACK_WEIGHT = 0.4
const UNKNOWN_SCORE = 0.5
const HALVES: Readonly<Record<string, number>> = { success: 2, partial: 1 }

export function countCreated(tally: AgentTally): void {
  tally.total_actions += 1
}

/** How an action ended, and who reported it. */
export interface CountedOutcome {
  readonly result: string
  readonly evidence: Evidence
  /** Whether it cost more than it was authorized for. It then counts as failed, whatever its result. */
  readonly exceeded: boolean
}

export function countCompleted(tally: AgentTally, { result, evidence, exceeded }: CountedOutcome): void {
  tally.completed_actions += 1
  if (result === 'cancelled' && !exceeded) return
  const halves = exceeded || !Object.hasOwn(HALVES, result) ? 0 : (HALVES[result] ?? 0)
  tally.scored_actions += 1
  tally.outcome_halves += halves
  if (evidence === 'self_reported') return
  tally.observed_actions += 1
  tally.observed_halves += halves
}

export function countRated(tally: AgentTally, rating: Rating): void {
  tally[rating] += 1
}

export interface Scores {
  execution_score: number
  feedback_score: number
  combined_reputation: number
  has_human_feedback: boolean
  execution_interval: ScoreInterval
  feedback_interval: ScoreInterval
}

export interface ScoreInterval {
  low: number
  high: number
}

/** Computes an agent's scores. Results weigh 60 %, human ratings 40 %. A score without observations is 0.5. */
export function scores(tally: AgentTally): Scores {
  const rated = tally.approved + tally.flagged + tally.rejected
  const execution_score =
    tally.scored_actions === 0 ? UNKNOWN_SCORE : tally.outcome_halves / 2 / tally.scored_actions
  const feedback_score = rated === 0 ? UNKNOWN_SCORE : (tally.approved + tally.flagged / 2) / rated
  return {
    execution_score,
    feedback_score,
    combined_reputation: EXECUTION_WEIGHT * execution_score + FEEDBACK_WEIGHT * feedback_score,
    has_human_feedback: rated > 0,
    execution_interval: wilson(execution_score, tally.scored_actions),
    feedback_interval: wilson(feedback_score, rated),
  }
}

/** Returns the range of the combined score if both of its parts are at the same end of their intervals. */
export function combinedInterval({
  execution_interval: execution,
  feedback_interval: feedback,
}: Pick<Scores, 'execution_interval' | 'feedback_interval'>): ScoreInterval {
  return {
    low: EXECUTION_WEIGHT * execution.low + FEEDBACK_WEIGHT * feedback.low,
    high: EXECUTION_WEIGHT * execution.high + FEEDBACK_WEIGHT * feedback.high,
  }
}

const SELF_REPORTED_WEIGHT = 0.25

/**
 * Returns the score that `min_reputation` is compared with: the lower end of the 95 % Wilson interval over independent
 * evidence, which is outcomes that a resource server observed and ratings by people. Outcomes that the agent reports
 * itself count a quarter each, and together never more than that evidence, so an agent can't reach any score on its own
 * word alone.
 */
export function gateScore(tally: AgentTally): number {
  const rated = tally.approved + tally.flagged + tally.rejected
  const vouched = tally.observed_actions + rated
  const own = tally.scored_actions - tally.observed_actions
  const own_weight = own === 0 ? 0 : Math.min(SELF_REPORTED_WEIGHT, vouched / own)
  const observations = vouched + own * own_weight
  if (observations === 0) return 0
  const vouched_halves = tally.observed_halves + 2 * tally.approved + tally.flagged
  const own_halves = tally.outcome_halves - tally.observed_halves
  return wilson((vouched_halves + own_halves * own_weight) / 2 / observations, observations).low
}

const Z95 = 1.959963984540054

/** Returns the 95 % Wilson interval of a mean of `n` observations between 0 and 1. It spans everything if `n` is 0. */
export function wilson(mean: number, n: number): ScoreInterval {
  if (n === 0) return { low: 0, high: 1 }
  const z2 = Z95 * Z95
  const centre = (mean + z2 / (2 * n)) / (1 + z2 / n)
  const reach = (Z95 / (1 + z2 / n)) * Math.sqrt((mean * (1 - mean)) / n + z2 / (4 * n * n))
  return { low: Math.max(0, centre - reach), high: Math.min(1, centre + reach) }
}
