type ErrorClass = abstract new (...values: never[]) => Error

/** The value that was read, or undefined if it was refused with a declared error. Passes all other errors on. */
export function unlessRefused<T>(read: () => T, ...declared: readonly ErrorClass[]): T | undefined {
  try {
    return read()
  } catch (error) {
    if (declared.some((one) => error instanceof one)) return undefined
    throw error
  }
}
