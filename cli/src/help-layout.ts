import type { Argument, Command } from 'commander'

/** The widest line of a help page. */
export const HELP_WIDTH = 78
/** Descriptions next to long flags wrap down to this width. */
const NARROWEST_DESCRIPTION = 24

/** Keeps every help page below this command within `HELP_WIDTH`. Call it before adding subcommands, which inherit it. */
export function fitHelp(command: Command): Command {
  const width = () => Math.min(HELP_WIDTH, process.stdout.columns ?? HELP_WIDTH)
  return command
    .configureHelp({ minWidthToWrap: NARROWEST_DESCRIPTION, subcommandTerm })
    .configureOutput({ getOutHelpWidth: width, getErrHelpWidth: width })
}

/** The name, and below a group the arguments too. Options are on the command's own page. */
function subcommandTerm(command: Command): string {
  const isInGroup = command.parent?.parent != null
  const args = isInGroup ? command.registeredArguments : []
  return [command.name(), ...args.map(argumentTerm)].join(' ')
}

function argumentTerm(argument: Argument): string {
  const name = `${argument.name()}${argument.variadic ? '...' : ''}`
  return argument.required ? `<${name}>` : `[${name}]`
}

/** Adds a paragraph below the options, wrapped to `HELP_WIDTH`. Lines that start with a space are kept. */
export function addHelpParagraph(command: Command, text: string): Command {
  return command.addHelpText('after', `\n${text.split('\n').map(wrapped).join('\n')}`)
}

function wrapped(line: string): string {
  if (line.startsWith(' ') || line.length <= HELP_WIDTH) return line
  const lines = ['']
  for (const word of line.split(' ')) {
    const last = lines.at(-1) ?? ''
    if (last !== '' && last.length + 1 + word.length > HELP_WIDTH) lines.push(word)
    else lines[lines.length - 1] = last === '' ? word : `${last} ${word}`
  }
  return lines.join('\n')
}

/** A command line. If it is too long, it is broken before options, with backslashes. */
export function brokenCommand(line: string): string {
  if (line.length + 2 <= HELP_WIDTH) return `  ${line}`
  const parts = line.split(/ (?=--)/)
  const lines: string[] = []
  for (const part of parts) {
    const last = lines.at(-1)
    if (last !== undefined && last.length + part.length + 7 <= HELP_WIDTH)
      lines[lines.length - 1] = `${last} ${part}`
    else lines.push(part)
  }
  return lines.map((part, at) => `${at === 0 ? '  ' : '    '}${part}`).join(' \\\n')
}
