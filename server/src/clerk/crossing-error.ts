/** How an error crosses between threads: as text for the log, because its class and members would be lost. */
export interface CrossedError {
  /** What failed, then why, from cause to cause. */
  readonly message: string
  /** Where, for the error and each of its causes. */
  readonly stack: string
}

export function crossingError(error: unknown): CrossedError {
  if (!(error instanceof Error)) return { message: String(error), stack: String(error) }
  const { message, stack = String(error) } = error
  if (error.cause === undefined) return { message, stack }
  const cause = crossingError(error.cause)
  return { message: `${message}: ${cause.message}`, stack: `${stack}\ncaused by ${cause.stack}` }
}

/** Has an error of this thread say where it happened in the other one. */
export function withCrossedStack<E extends Error>(error: E, { stack }: CrossedError): E {
  error.stack = stack
  return error
}

/** An error of the other thread. */
export function crossedError(crossed: CrossedError): Error {
  return withCrossedStack(new Error(crossed.message), crossed)
}
