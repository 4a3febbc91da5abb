/**
 * Which pages of a browser follow events. A stream occupies one of the six connections that a browser opens to a host
 * with HTTP/1.1, so if every tab had one, the seventh tab would not load.
 */

/**
 * Resolves when this page may open a stream, with a signal that aborts when it must close it. A visible page may. Of
 * all hidden pages of this browser that want one of this kind, a single one may.
 */
export function turnToFollow(kind: string, isWantedHidden: () => boolean): Promise<AbortSignal> {
  const turn = new AbortController()
  const { signal } = turn
  document.addEventListener('visibilitychange', () => turn.abort(), { once: true })
  if (document.visibilityState === 'visible') return Promise.resolve(signal)
  return new Promise((resolve) => {
    signal.addEventListener('abort', () => resolve(turnToFollow(kind, isWantedHidden)))
    if (isWantedHidden()) void asOnlyHiddenPage(`deputy-${kind}`, signal, () => resolve(signal))
  })
}

/** Calls `begin` once no other page holds the lock, and holds it until the signal aborts. */
async function asOnlyHiddenPage(lock: string, signal: AbortSignal, begin: () => void): Promise<void> {
  // Browsers have locks only on https and this machine, as with notices.
  const locks: LockManager | undefined = navigator.locks
  await locks
    ?.request(lock, { signal }, async () => {
      begin()
      await ended(signal)
    })
    .catch(() => undefined) // the page was shown before it got the lock
}

/** Resolves when the signal aborts. */
export function ended(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve()
    signal.addEventListener('abort', () => resolve(), { once: true })
  })
}
