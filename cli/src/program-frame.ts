import { readFileSync } from 'node:fs'
import { Command } from 'commander'
import { checkRequiredOptions } from './client/required-options.ts'
import { endingWithUsage } from './client/usage.ts'
import { addExamples } from './commands/examples.ts'
import { addHelpParagraph, fitHelp } from './help-layout.ts'

export const { version: VERSION } = JSON.parse(
  readFileSync(new URL('../package.json', import.meta.url), 'utf8'),
)

/** Adds a command to the program. */
export type AddCommand = (program: Command) => void

/** Commands below one heading of the help page. */
type CommandGroup = readonly [heading: string, adders: readonly AddCommand[]]

/** The command `deputy` with these subcommands. */
export function programOf(groups: readonly CommandGroup[]): Command {
  const program = fitHelp(new Command('deputy'))
    .description('The authority service for AI agents: an agent acts for a verified person, within limits.')
    .version(VERSION)
  addHelpParagraph(program, 'Start with: deputy start, then in another terminal: deputy demo')
  for (const [heading, adders] of groups) {
    program.commandsGroup(heading)
    for (const add of adders) add(program)
  }
  addHelpCommand(program)
  addExamples(program)
  checkRequiredOptions(program)
  // Exits with 2 for invalid options, because 1 has other meanings, such as faults found by a check.
  for (const command of program.commands) endingWithUsage(command)
  return endingWithUsage(program)
}

/** Unlike commander's help command, this one names an unknown command, and also shows help for subcommands. */
function addHelpCommand(program: Command): void {
  program
    .helpCommand(false)
    .command('help')
    .description('show the help of a command')
    .argument('[command...]', 'the command, such as: keys create')
    .action((names: readonly string[]) => {
      names.reduce(subcommand, program).help()
    })
}

function subcommand(group: Command, name: string): Command {
  const found = group.commands.find((command) => command.name() === name)
  return found ?? group.error(`error: unknown command '${name}'`)
}
