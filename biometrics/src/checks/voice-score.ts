import type { VoiceNet } from '../contract.ts'

/**
 * GE2E finds any two voices similar: its median cosine is 0.53 for strangers and 0.80 for the same speaker; ECAPA's are
 * 0.13 and 0.69. This line maps its cosines to the scale of ECAPA, which the thresholds use.
 */
const GE2E_SLOPE = 2.09
const GE2E_STRANGERS = 0.53
const ECAPA_STRANGERS = 0.125
/** ECAPA is by far the better net, with half the errors. */
const ECAPA_WEIGHT = 0.7

/** Returns the similarity of two voices, from the cosines of the nets that described both. Undefined if none did. */
export function voiceScore({ ecapa, ge2e }: Partial<Record<VoiceNet, number>>): number | undefined {
  const scaled = ge2e === undefined ? undefined : ECAPA_STRANGERS + GE2E_SLOPE * (ge2e - GE2E_STRANGERS)
  if (ecapa === undefined || scaled === undefined) return ecapa ?? scaled
  return ECAPA_WEIGHT * ecapa + (1 - ECAPA_WEIGHT) * scaled
}
