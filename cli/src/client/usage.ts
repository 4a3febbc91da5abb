import type { Command } from 'commander'
import { EXIT } from '../exit-codes.ts'
import { withSuggestion } from './suggestion.ts'

/** Exits with 2 for invalid options, where commander would use 1, which here means denied. */
export function endingWithUsage(command: Command): Command {
  command.configureOutput({ outputError: (text, write) => write(withSuggestion(text, command)) })
  command.showHelpAfterError(`Run ${typedName(command)} --help for usage.`)
  return command.exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? EXIT.done : EXIT.usage))
}

/** The full name: `deputy keys create`. */
function typedName(command: Command): string {
  const { parent } = command
  return parent === null ? command.name() : `${typedName(parent)} ${command.name()}`
}
