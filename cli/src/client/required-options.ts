import type { Command, Option } from 'commander'

/**
 * Names all missing options at once, and after unknown ones, which are often the reason. Commander would stop at the
 * first missing option. Call it when all commands are added.
 */
export function checkRequiredOptions(program: Command): void {
  const required = new Map(everyCommand(program).map((command) => [command, takenFromCommander(command)]))
  program.hook('preAction', (_, command) => {
    const missing = (required.get(command) ?? []).filter(
      (option) => command.getOptionValue(option.attributeName()) === undefined,
    )
    if (missing.length === 0) return
    const noun = missing.length === 1 ? 'option' : 'options'
    command.error(`error: missing required ${noun}: ${missing.map(({ flags }) => flags).join(', ')}`)
  })
}

function everyCommand(command: Command): Command[] {
  return [command, ...command.commands.flatMap(everyCommand)]
}

/** The required options, marked in the help. */
function takenFromCommander({ options }: Command): Option[] {
  const required = options.filter(({ mandatory }) => mandatory)
  for (const option of required) {
    option.makeOptionMandatory(false)
    option.description += ' (required)'
  }
  return required
}
