/** The value that a share of all values lies below. 0 without values. */
export function quantileOf(values: readonly number[], q: number): number {
  const sorted = Float64Array.from(values).sort()
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * q))] ?? 0
}
