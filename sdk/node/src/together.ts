/** Work that is done once for all who ask for it at the same time. */
export interface SharedWork<T> {
  ask(): Promise<T>
  isUnderWay(): boolean
}

/** Nobody waits longer for work that another one began. */
const PATIENCE_MS = 1_000

/**
 * Shares `work`. On edge runtimes it ends without a word when the request does that began it, because the caller went away:
 * the promise of such work never settles. So after a while one of those who wait begins anew.
 */
export function together<T>(work: () => Promise<T>, patience_ms = PATIENCE_MS): SharedWork<T> {
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
        const answer = theirs === undefined ? undefined : await within(patience_ms, theirs)
        if (answer !== undefined) return answer.value
        if (latest === theirs) return begin()
      }
    },
  }
}

/** Undefined when it takes longer. */
async function within<T>(ms: number, promise: Promise<T>): Promise<{ readonly value: T } | undefined> {
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
