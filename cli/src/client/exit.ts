import { type DeputyError, isDeputyError } from '@deputize/sdk'

/** How commands that call the service end. */
export const EXIT = {
  /** Done, or allowed. */
  done: 0,
  /** The rules say no. */
  denied: 1,
  /** Options or input that cannot be. */
  usage: 2,
  /** No service answered, or none that can. */
  unreachable: 3,
  /** The service does not do this: for this caller, not for what was named, or not now. */
  refused: 4,
} as const
export type ExitCode = (typeof EXIT)[keyof typeof EXIT]

/** Shown below the help of each command that calls the service. */
export const EXIT_HELP =
  'Exits with 0 when done or allowed, 1 when the rules say no, 2 on wrong options or input,\n3 when the service cannot be reached, 4 when it refuses.'

/** Something typed, or in a file that was named, cannot be. The message says what to do instead. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}

export function exitOf(error: unknown): ExitCode | undefined {
  if (error instanceof UsageError) return EXIT.usage
  return isDeputyError(error) ? exitOfRefusal(error) : undefined
}

function exitOfRefusal({ code, status }: DeputyError): ExitCode {
  if (code === 'not_allowed') return EXIT.denied
  if (status === 0 || status >= 500 || code === 'unexpected_answer') return EXIT.unreachable
  return status === 400 || status === 413 ? EXIT.usage : EXIT.refused
}
