import type { VoiceNet } from '../contract.ts'

/**
 * GE2E finds every two voices alike: the median of strangers is 0.53 and that of one speaker 0.80, where ECAPA has 0.13
 * and 0.69. This line brings its cosines to the scale of ECAPA, on which the thresholds are.
 */
const GE2E_SLOPE = 2.09
const GE2E_STRANGERS = 0.53
const ECAPA_STRANGERS = 0.125
/** ECAPA is the better net by far: half the errors. */
const ECAPA_WEIGHT = 0.7

/** How alike two voices are, from the cosines of the nets that described both. Undefined if none did. */
export function voiceScore({ ecapa, ge2e }: Partial<Record<VoiceNet, number>>): number | undefined {
  const scaled = ge2e === undefined ? undefined : ECAPA_STRANGERS + GE2E_SLOPE * (ge2e - GE2E_STRANGERS)
  if (ecapa === undefined || scaled === undefined) return ecapa ?? scaled
  return ECAPA_WEIGHT * ecapa + (1 - ECAPA_WEIGHT) * scaled
}
