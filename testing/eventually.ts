import { setTimeout as sleep } from 'node:timers/promises'

/** Long enough for a busy machine. A test that passes never waits this long. */
const PATIENCE_MS = 60_000
const INTERVAL_MS = 20

/**
 * Calls `look` until it returns something other than `undefined` or `false`, and returns that. Fails with `what` if it
 * has not happened after `patience_ms`.
 */
export async function eventually<T>(
  what: string,
  look: () => Promise<T | undefined | false> | T | undefined | false,
  patience_ms: number = PATIENCE_MS,
): Promise<T> {
  const deadline = performance.now() + patience_ms
  for (;;) {
    const seen = await look()
    if (seen !== undefined && seen !== false) return seen
    if (performance.now() > deadline) throw new Error(`waited ${patience_ms / 1000} s in vain for: ${what}`)
    await sleep(INTERVAL_MS)
  }
}
