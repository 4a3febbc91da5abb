import { setTimeout as sleep } from 'node:timers/promises'

const MINUTE_MS = 60_000

/** Waits until the next minute begins, with which a new alert rule of a running service begins to count. */
export function nextMinute(): Promise<void> {
  return sleep(MINUTE_MS - (Date.now() % MINUTE_MS) + 1)
}
