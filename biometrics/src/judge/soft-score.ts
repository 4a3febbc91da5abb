import { SOFT_FACTORS, type SoftFactorName, TERM_MAX } from './thresholds.ts'

export type SoftValues = Readonly<Partial<Record<SoftFactorName, number | undefined>>>

/**
 * Returns the soft score, 0 to 1, which rises with every value. The weight of an unmeasured factor is shared among the
 * others in proportion. Without any factor, the score is 0.
 */
export function softScore(values: SoftValues): number {
  const terms = factorNames().flatMap((name) => {
    const value = values[name]
    return value === undefined ? [] : [{ weight: SOFT_FACTORS[name].weight, term: term(name, value) }]
  })
  const whole = terms.reduce((sum, { weight }) => sum + weight, 0)
  if (whole === 0) return 0
  return sigmoid(terms.reduce((sum, one) => sum + (one.weight / whole) * one.term, 0))
}

function factorNames(): SoftFactorName[] {
  return Object.keys(SOFT_FACTORS) as SoftFactorName[] // the keys of a constant table
}

function term(name: SoftFactorName, value: number): number {
  const { threshold, spread } = SOFT_FACTORS[name]
  return Math.min(TERM_MAX, Math.max(-TERM_MAX, (value - threshold) / spread))
}

function sigmoid(x: number): number {
  return 1 / (1 + Math.exp(-x))
}
