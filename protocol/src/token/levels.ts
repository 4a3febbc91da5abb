/** How well the person behind a token was verified, and the trust that results. */
export const LEVELS = {
  L1: { base_trust: 0.4, default_lifetime_s: 24 * 3600, max_lifetime_s: 30 * 24 * 3600 },
  L2: { base_trust: 0.7, default_lifetime_s: 8 * 3600, max_lifetime_s: 24 * 3600 },
  L3: { base_trust: 0.95, default_lifetime_s: 3600, max_lifetime_s: 8 * 3600 },
} as const

export type Level = keyof typeof LEVELS
