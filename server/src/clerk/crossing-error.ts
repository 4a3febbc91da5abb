/** How an error crosses between threads: as text for the log, because its class and members would be lost. */
export interface CrossedError {
  /** What failed, then why, from cause to cause. */
  readonly message: string
  /** The stacks of the error and each of its causes. */
  readonly stack: string
}

export function crossingError(error: unknown): CrossedError {
  if (!(error instanceof Error)) return { message: String(error), stack: String(error) }
  const { stack = String(error) } = error
  const message = messageOf(error)
  if (error.cause === undefined) return { message, stack }
  const cause = crossingError(error.cause)
  return { message: `${message}: ${cause.message}`, stack: `${stack}\ncaused by ${cause.stack}` }
}

/** If a connection is refused at every address of a host, the error has no message of its own. */
function messageOf(error: Error): string {
  if (error.message !== '') return error.message
  if (!(error instanceof AggregateError)) return error.name
  return error.errors.map((each) => crossingError(each).message).join(', ')
}

/** Makes an error of this thread show where it occurred in the other one. */
export function withCrossedStack<E extends Error>(error: E, { stack }: CrossedError): E {
  error.stack = stack
  return error
}

/** Recreates an error of the other thread. */
export function crossedError(crossed: CrossedError): Error {
  return withCrossedStack(new Error(crossed.message), crossed)
}
