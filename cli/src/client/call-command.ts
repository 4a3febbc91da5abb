import { OPERATIONS, type Operation } from '@deputize/protocol'
import type { Deputy, OperationId } from '@deputize/sdk'
import type { Command } from 'commander'
import { type Screen, screenOf } from '../terminal/screen.ts'
import { addConnectionOptions, type ConnectionOptions, contactWith } from './connection.ts'
import { EXIT, type ExitCode } from './exit.ts'
import { callingCommand, running } from './running.ts'
import { type Input, type Offer, offerMembers, withToken } from './schema-options.ts'

export type Answer<Id extends OperationId> = Awaited<ReturnType<Deputy[Id]>>

/** A command that makes one call. */
export interface CallCommand<Id extends OperationId> extends Offer {
  readonly name: string
  readonly operation: Id
  /** Runs when its group is called by itself. */
  readonly isDefault?: boolean
  /** The answer in plain words. */
  readonly say: (answer: Answer<Id>, screen: Screen, options: Input) => string
  /** Done, unless this says otherwise. */
  readonly exit?: (answer: Answer<Id>) => ExitCode
  /** What the command does besides the call, with options of its own. */
  readonly around?: (options: Input, call: (more: Input) => Promise<Answer<Id>>) => Promise<Answer<Id>>
}

/** Adds a command whose arguments, options and help come from the table of operations. */
export function addCallCommand<Id extends OperationId>(
  parent: Command,
  { name, operation, isDefault = false, say, exit, around, ...offer }: CallCommand<Id>,
): Command {
  const row: Operation = OPERATIONS[operation]
  const command = callingCommand(parent, name, lowered(row.summary), isDefault)
  if (row.description !== undefined) command.addHelpText('after', `\n${row.description.replaceAll('`', '')}`)
  const readInput = offerMembers(command, row, offer)
  addConnectionOptions(command)
  // What follows a group and is no command of it ends up here, and would be called an argument too many.
  if (isDefault) command.allowExcessArguments().hook('preAction', () => assertNoStranger(parent, command))
  return command.action((...typed: unknown[]) => {
    const options = command.opts<ConnectionOptions & Input>()
    return running(options, async () => {
      const { client, jti } = await contactWith(options)
      const input = withToken(readInput(typed, options), row, jti)
      const call = (more: Input) => callOf(client, operation)({ ...input, ...more })
      const answer = await (around === undefined ? call({}) : around(options, call))
      print(options, answer, () => say(answer, screenOf(process.stdout, process.env), options))
      return exit?.(answer) ?? EXIT.done
    })
  })
}

function assertNoStranger(group: Command, { args: [stranger] }: Command): void {
  if (stranger === undefined) return
  const names = group.commands.map((command) => command.name()).join(', ')
  group.error(`error: unknown command '${stranger}'. After ${group.name()} there are ${names}.`)
}

/** The answer as it is, or in plain words. */
export function print(
  { json = false }: { readonly json?: boolean },
  answer: unknown,
  say: () => string,
): void {
  process.stdout.write(json ? `${JSON.stringify(answer)}\n` : say())
}

function callOf<Id extends OperationId>(client: Deputy, id: Id): (input: Input) => Promise<Answer<Id>> {
  const methods = client as unknown as Record<Id, (input: Input) => Promise<Answer<Id>>> // from the same table
  return methods[id]
}

function lowered(summary: string): string {
  return `${summary.charAt(0).toLowerCase()}${summary.slice(1)}`
}
