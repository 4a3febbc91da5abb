/** Work that concurrent callers share instead of each starting their own. */
export interface SharedWork<T> {
  ask(): Promise<T>
  isUnderWay(): boolean
}

/** The longest time a caller waits for work that another caller started. */
const SHARED_WAIT_MS = 1_000

/**
 * Shares `work`. On edge runtimes, work stops silently when the client that started it disconnects, and its promise never
 * settles. So after `patience_ms` one of the waiting callers starts the work again.
 */
export function together<T>(work: () => Promise<T>, patience_ms = SHARED_WAIT_MS): SharedWork<T> {
  let latest: Promise<T> | undefined
  let isUnderWay = false

  function begin(): Promise<T> {
    const mine = work().finally(() => {
      if (latest === mine) isUnderWay = false
    })
    latest = mine
    isUnderWay = true
    return mine
  }

  return {
    isUnderWay: () => isUnderWay,
    async ask() {
      if (!isUnderWay) return begin()
      for (;;) {
        const theirs = latest
        const answer = theirs === undefined ? undefined : await settledWithin(patience_ms, theirs)
        if (answer !== undefined) return answer.value
        if (latest === theirs) return begin()
      }
    },
  }
}

/** Returns undefined if the promise takes longer than `ms`. */
async function settledWithin<T>(ms: number, promise: Promise<T>): Promise<{ readonly value: T } | undefined> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), ms)
  })
  try {
    return await Promise.race([promise.then((value) => ({ value })), late])
  } finally {
    clearTimeout(timer)
  }
}
