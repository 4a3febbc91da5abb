/** Resolves at a moment of `performance.now()`, or at once when it has passed. */
export function until(moment: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, Math.max(0, moment - performance.now())))
}
