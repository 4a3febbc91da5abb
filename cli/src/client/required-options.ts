import type { Command, Option } from 'commander'

/**
 * Reports all missing options at once, and only after unknown ones, which are often the cause. Commander would stop at
 * the first missing option. Call it after adding all commands.
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

/** Returns the required options. Marks them in the help, and as optional for commander. */
function takenFromCommander({ options }: Command): Option[] {
  const required = options.filter(({ mandatory }) => mandatory)
  for (const option of required) {
    option.makeOptionMandatory(false)
    option.description += ' (required)'
  }
  return required
}
