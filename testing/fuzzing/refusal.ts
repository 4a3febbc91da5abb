type ErrorClass = abstract new (...values: never[]) => Error

/** Returns the value read, or undefined if it was refused with a declared error. Rethrows all other errors. */
export function unlessRefused<T>(read: () => T, ...declared: readonly ErrorClass[]): T | undefined {
  try {
    return read()
  } catch (error) {
    if (declared.some((one) => error instanceof one)) return undefined
    throw error
  }
}
