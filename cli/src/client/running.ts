import { inspect } from 'node:util'
import { type DeputyError, isDeputyError } from '@deputize/sdk'
import type { Command } from 'commander'
import { harmless } from '../terminal/screen.ts'
import type { ConnectionOptions } from './connection.ts'
import { EXIT, EXIT_HELP, type ExitCode, exitOf } from './exit.ts'

/** What nobody foresaw must not look like a no of the rules, which Node's own 1 would. */
const EXIT_FAILED = 70
/** As shells say that a program was ended by Ctrl-C. */
export const EXIT_INTERRUPTED = 130

/** A command whose mistyped options end as all usage errors do. */
export function callingCommand(
  parent: Command,
  name: string,
  description: string,
  isDefault = false,
): Command {
  const command = parent.command(name, { isDefault }).description(description)
  return endingWithUsage(command).addHelpText('after', `\n${EXIT_HELP}`)
}

/** Ends with 2 where commander would end with 1, which here means that the rules say no. */
export function endingWithUsage(command: Command): Command {
  command.showHelpAfterError(`Run ${typedName(command)} --help to see what there is.`)
  return command.exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? EXIT.done : EXIT.usage))
}

/** As it is typed: `deputy keys create`. */
function typedName(command: Command): string {
  const { parent } = command
  return parent === null ? command.name() : `${typedName(parent)} ${command.name()}`
}

/** Does the work of a command and says how it failed, if it did. */
export async function running(
  options: Pick<ConnectionOptions, 'json'>,
  work: () => Promise<ExitCode | typeof EXIT_INTERRUPTED>,
): Promise<void> {
  endWithReader()
  try {
    process.exitCode = await work()
  } catch (error) {
    const code = exitOf(error)
    process.exitCode = code ?? EXIT_FAILED
    // A bug shows where it is; everything foreseen has its own sentence.
    if (code === undefined) process.stderr.write(`${inspect(error)}\n`)
    else say(error, options)
  }
}

/** Whoever reads the output may leave early, as `head` does. */
function endWithReader(): void {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit()
    throw error
  })
}

function say(error: unknown, { json = false }: Pick<ConnectionOptions, 'json'>): void {
  const isAnswer = isDeputyError(error) && error.problem.code !== undefined
  // What the service answered goes where its answers go; what it never said does not.
  if (json && isAnswer) process.stdout.write(`${JSON.stringify(error.problem)}\n`)
  else if (json) process.stderr.write(`${JSON.stringify({ detail: messageOf(error) })}\n`)
  else process.stderr.write(`${linesOf(error).map(harmless).join('\n')}\n`)
}

function linesOf(error: unknown): string[] {
  if (!isDeputyError(error)) return [messageOf(error)]
  return [
    error.message,
    ...fieldsOf(error),
    ...listed('reasons', error.problem.reasons),
    ...listed('beyond the parent', error.problem.widening),
    ...listed('denial', error.problem.denial_id),
    ...listed('approval', error.problem.approval_id),
    // Where nothing was answered, the message says where it was looked for.
    ...(error.status === 0 ? [] : [`(${error.code}, ${error.status})`]),
  ]
}

function fieldsOf({ problem: { errors = [] } }: DeputyError): string[] {
  // A single one is the message already.
  return errors.length < 2 ? [] : errors.map(({ pointer, detail }) => `  ${pointer} ${detail}`)
}

function listed(name: string, value: unknown): string[] {
  if (value === undefined) return []
  return [`  ${name}: ${Array.isArray(value) ? value.join(', ') : value}`]
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
