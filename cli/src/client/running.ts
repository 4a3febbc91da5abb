import { inspect } from 'node:util'
import { type DeputyError, isDeputyError } from '@deputize/sdk'
import type { Command } from 'commander'
import { EXIT, type ExitCode } from '../exit-codes.ts'
import { errorText } from '../start-problems.ts'
import { harmless } from '../terminal/screen.ts'
import { moment } from '../terminal/words.ts'
import type { ConnectionOptions } from './connection-options.ts'
import { exitOf } from './exit.ts'
import { endingWithUsage } from './usage.ts'

/** Adds a command that calls the service. */
export function callingCommand(
  parent: Command,
  name: string,
  description: string,
  isDefault = false,
): Command {
  const command = parent.command(name, { isDefault }).description(description)
  return endingWithUsage(command)
}

/** Does the work of a command, and reports its error if it fails. */
export async function running(
  options: Pick<ConnectionOptions, 'json'>,
  work: () => Promise<ExitCode>,
): Promise<void> {
  endWithReader()
  try {
    process.exitCode = await work()
  } catch (error) {
    const code = exitOf(error)
    process.exitCode = code ?? EXIT.failed
    // An unexpected error is printed with its stack; all others have a message for the user.
    if (code === undefined) process.stderr.write(`${inspect(error)}\n`)
    else reportError(error, options)
  }
}

/** The reader of the output may close it early, as `head` does. */
function endWithReader(): void {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit()
    throw error
  })
}

function reportError(error: unknown, { json = false }: Pick<ConnectionOptions, 'json'>): void {
  const isAnswer = isDeputyError(error) && error.problem.code !== undefined
  // A problem that the service sent goes to standard output, like every response. Other errors do not.
  if (json && isAnswer) process.stdout.write(`${JSON.stringify(error.problem)}\n`)
  else if (json) process.stderr.write(`${JSON.stringify(ownProblem(error))}\n`)
  else process.stderr.write(`${errorLines(error).map(harmless).join('\n')}\n`)
}

/** An error of the client, with the members that a problem of the service has. */
function ownProblem(error: unknown): object {
  const detail = errorText(error)
  return isDeputyError(error) ? { code: error.code, status: error.status, detail } : { detail }
}

function errorLines(error: unknown): string[] {
  if (!isDeputyError(error)) return [errorText(error)]
  return [
    ...refusalLines(error),
    ...problemLine('reasons', error.problem.reasons),
    ...problemLine('beyond the parent', error.problem.widening),
    ...problemLine('denial', error.problem.denial_id),
    ...problemLine('approval', error.problem.approval_id),
    // Without a response there is no code from the service, and the message names the URL.
    ...(error.status === 0 ? [] : [`(${error.code}, ${error.status})`]),
  ]
}

function refusalLines({ code, message, problem }: DeputyError): string[] {
  const { errors = [], rating, feedback_at } = problem
  if (code === 'rating_immutable' && typeof feedback_at === 'string')
    return [`Already rated ${rating} at ${moment(feedback_at)}. A rating can't be changed.`]
  // The message repeats the first of several errors.
  if (errors.length < 2) return [message]
  return ['The input is invalid:', ...errors.map(({ pointer, detail }) => `  ${pointer} ${detail}`)]
}

function problemLine(name: string, value: unknown): string[] {
  if (value === undefined) return []
  return [`  ${name}: ${Array.isArray(value) ? value.join(', ') : value}`]
}
