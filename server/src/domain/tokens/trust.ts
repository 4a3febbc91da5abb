import { LEVELS, type Level } from '@deputize/protocol'

const KEPT_PER_HOP = 0.9

/**
 * Returns the trust in an action: the base of the level, reduced by a tenth for each delegation. It never rises along a
 * chain.
 */
export function trustScore(level: Level, delegation_depth: number): number {
  const trust = LEVELS[level].base_trust * KEPT_PER_HOP ** delegation_depth
  return Math.round(trust * 10_000) / 10_000
}
