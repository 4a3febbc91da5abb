/** The pack cannot be installed or opened. The message says why and what to do, and is safe to show to an operator. */
export class PackError extends Error {
  override readonly name = 'PackError'
}
