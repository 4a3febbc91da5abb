/** The value below which a share `q` of all values lies. 0 if there are no values. */
export function quantileOf(values: readonly number[], q: number): number {
  const sorted = Float64Array.from(values).sort()
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * q))] ?? 0
}
