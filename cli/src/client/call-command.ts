import { OPERATIONS, type Operation } from '@deputize/protocol'
import type { Deputy, OperationId } from '@deputize/sdk'
import type { Command } from 'commander'
import { EXIT, type ExitCode } from '../exit-codes.ts'
import { addHelpParagraph } from '../help-layout.ts'
import { type Screen, screenOf } from '../terminal/screen.ts'
import { connect } from './connection.ts'
import { addConnectionOptions, type ConnectionOptions } from './connection-options.ts'
import { callingCommand, running } from './running.ts'
import { type CommandInput, type Offer, offerMembers, withToken } from './schema-options.ts'

/** The response of an operation. */
export type ResponseOf<Id extends OperationId> = Awaited<ReturnType<Deputy[Id]>>

/** A command that makes one call. */
export interface CallCommand<Id extends OperationId> extends Offer {
  readonly name: string
  readonly operation: Id
  /** One line for the help. Default: the summary of the operation. */
  readonly summary?: string
  /** Whether it runs when its group is called without a subcommand. */
  readonly isDefault?: boolean
  /** The response as text. */
  readonly say: (answer: ResponseOf<Id>, screen: Screen, options: CommandInput) => string
  /** The exit code. Default: done. */
  readonly exit?: (answer: ResponseOf<Id>) => ExitCode
  /** Wraps the call, for commands with options of their own. */
  readonly around?: (
    options: CommandInput,
    call: (more: CommandInput) => Promise<ResponseOf<Id>>,
    more: { readonly client: Deputy; readonly input: CommandInput },
  ) => Promise<ResponseOf<Id>>
}

/** Adds a command whose arguments, options and help come from the row of its operation. */
export function addCallCommand<Id extends OperationId>(
  parent: Command,
  { name, operation, summary, isDefault = false, say, exit, around, ...offer }: CallCommand<Id>,
): Command {
  const row: Operation = OPERATIONS[operation]
  const command = callingCommand(parent, name, summary ?? lowered(row.summary), isDefault)
  if (row.description !== undefined) addHelpParagraph(command, row.description.replaceAll('`', ''))
  const readInput = offerMembers(command, row, offer)
  addConnectionOptions(command)
  // An unknown subcommand arrives here as an argument of the default command.
  if (isDefault) command.allowExcessArguments().hook('preAction', () => rejectUnknownCommand(parent, command))
  return command.action((...typed: unknown[]) => {
    const options = command.opts<ConnectionOptions & CommandInput>()
    return running(options, async () => {
      const { client, jti } = await connect(options)
      const input = withToken(readInput(typed, options), row, jti)
      const call = (more: CommandInput) => callOf(client, operation)({ ...input, ...more })
      const answer = await (around === undefined ? call({}) : around(options, call, { client, input }))
      print(options, answer, () => say(answer, screenOf(process.stdout, process.env), options))
      return exit?.(answer) ?? EXIT.done
    })
  })
}

function rejectUnknownCommand(group: Command, { args: [unknown] }: Command): void {
  if (unknown === undefined) return
  const names = group.commands.map((command) => command.name()).join(', ')
  group.error(`error: unknown command '${unknown}'. Commands of ${group.name()}: ${names}.`)
}

/** Prints the response as JSON or as text. */
export function print(
  { json = false }: { readonly json?: boolean },
  answer: unknown,
  say: () => string,
): void {
  process.stdout.write(json ? `${JSON.stringify(answer)}\n` : say())
}

function callOf<Id extends OperationId>(
  client: Deputy,
  id: Id,
): (input: CommandInput) => Promise<ResponseOf<Id>> {
  const methods = client as unknown as Record<Id, (input: CommandInput) => Promise<ResponseOf<Id>>> // OperationId names the methods
  return methods[id]
}

function lowered(summary: string): string {
  return `${summary.charAt(0).toLowerCase()}${summary.slice(1)}`
}
