/** Resolves at a moment of `performance.now()`, or at once if it has passed. Rejects if `signal` ends the wait. */
export function until(moment: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted()
    const timer = setTimeout(resolve, Math.max(0, moment - performance.now()))
    signal?.addEventListener(
      'abort',
      () => {
        clearTimeout(timer)
        reject(signal.reason)
      },
      { once: true },
    )
  })
}
