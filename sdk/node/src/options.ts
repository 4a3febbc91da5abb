/** Throws a TypeError that names an unknown option. Otherwise a misspelled limit would be ignored. */
export function checkOptions(options: unknown, known: Readonly<Record<string, true>>): void {
  const names = Object.keys(known)
  if (typeof options !== 'object' || options === null)
    throw new TypeError(`The options must be an object. Known options: ${names.join(', ')}.`)
  for (const name of Object.keys(options))
    if (!Object.hasOwn(known, name))
      throw new TypeError(`Unknown option ${name}. Known options: ${names.join(', ')}.`)
}

/** The longest delay that timers support in every runtime. A longer one fires at once. */
const MAX_TIMEOUT_MS = 2_147_483_647

/** Throws a TypeError if the time limit or number of retries is invalid. A timer treats an invalid limit as 1 ms. */
export function checkLimits({ timeout_ms, retries }: { timeout_ms?: unknown; retries?: unknown }): void {
  const isTime = typeof timeout_ms === 'number' && timeout_ms > 0 && timeout_ms <= MAX_TIMEOUT_MS
  if (timeout_ms !== undefined && !isTime)
    throw new TypeError(
      `timeout_ms must be a number of milliseconds, from 1 to ${MAX_TIMEOUT_MS}. It is ${String(timeout_ms)}.`,
    )
  if (retries !== undefined && !(Number.isInteger(retries) && Number(retries) >= 0))
    throw new TypeError(`retries must be 0 or a larger integer. It is ${String(retries)}.`)
}
