import type { OperatorNet } from '../contract.ts'

/** Returns the answer of a net as a number from 0 (attack) to 1 (genuine). */
export function genuineScore(
  values: ArrayLike<number>,
  { index, activation, means }: Pick<OperatorNet['output'], 'index' | 'activation' | 'means'>,
): number {
  const value = values[index]
  if (value === undefined || Number.isNaN(value)) return 0
  const share = activated(values, value, activation)
  return clamped(means === 'genuine' ? share : 1 - share)
}

function activated(
  values: ArrayLike<number>,
  value: number,
  activation: OperatorNet['output']['activation'],
): number {
  if (activation === 'none') return value
  if (activation === 'sigmoid') return 1 / (1 + Math.exp(-value))
  const most = Math.max(...Array.from(values))
  const sum = Array.from(values).reduce((total, one) => total + Math.exp(one - most), 0)
  return Math.exp(value - most) / sum
}

function clamped(value: number): number {
  return Math.min(1, Math.max(0, value))
}
