import { type DeputyError, isDeputyError } from '@deputize/sdk'
import { EXIT, type ExitCode } from '../exit-codes.ts'

/** Shown below the help of each command that calls the service. */
export const EXIT_HELP =
  'Exit codes: 0 done or allowed, 1 denied by the rules, 2 invalid options or input, 3 service unreachable, 4 refused by the service.'

/** An option or a file that it names is invalid. The message says what to do instead. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}

/** The person at the terminal didn't answer yes. */
export class NotConfirmed extends Error {
  override readonly name = 'NotConfirmed'

  constructor(message = 'Nothing was stopped.') {
    super(message)
  }
}

export function exitOf(error: unknown): ExitCode | undefined {
  if (error instanceof UsageError) return EXIT.usage
  if (error instanceof NotConfirmed) return EXIT.interrupted
  return isDeputyError(error) ? exitOfRefusal(error) : undefined
}

function exitOfRefusal({ code, status }: DeputyError): ExitCode {
  if (code === 'not_allowed') return EXIT.denied
  if (status === 0 || status >= 500 || code === 'unexpected_answer') return EXIT.unreachable
  return status === 400 || status === 413 ? EXIT.usage : EXIT.refused
}
