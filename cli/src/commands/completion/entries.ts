import type { Command } from 'commander'

/** A command, with everything that completion needs. */
export interface CommandEntry {
  /** The words after `deputy`; empty for `deputy` itself. */
  readonly path: readonly string[]
  readonly commands: readonly Named[]
  readonly options: readonly CompletedOption[]
  /** The allowed values of its arguments. */
  readonly choices: readonly string[]
}

interface Named {
  readonly name: string
  readonly words: string
}

export interface CompletedOption extends Named {
  /** The value that follows: none, one of a list, a file, or any text. */
  readonly takes: 'nothing' | 'anything' | 'file' | readonly string[]
}

/** The command and all commands below it. */
export function commandEntries(command: Command, path: readonly string[] = []): CommandEntry[] {
  const standard = command.commands.filter(isDefault)
  const own = {
    path,
    commands: command.commands.map((one) => ({
      name: one.name(),
      words: one.summary() || one.description(),
    })),
    // A group without a subcommand runs its default command.
    options: [command, ...standard].flatMap(({ options }) => options.map(completed)),
    choices: command.registeredArguments.flatMap(({ argChoices = [] }) => argChoices),
  }
  return [own, ...command.commands.flatMap((one) => commandEntries(one, [...path, one.name()]))]
}

function isDefault(command: Command): boolean {
  const { parent } = command
  // Commander has no public accessor for the default command.
  return parent !== null && '_defaultCommandName' in parent && parent._defaultCommandName === command.name()
}

function completed(option: Command['options'][number]): CompletedOption {
  const { long, short, description, argChoices, flags } = option
  return { name: long ?? short ?? '', words: description, takes: takenBy(argChoices, flags) }
}

function takenBy(choices: readonly string[] | undefined, flags: string): CompletedOption['takes'] {
  if (choices !== undefined) return choices
  if (/<(file|directory)>/.test(flags)) return 'file'
  return /[<[]/.test(flags) ? 'anything' : 'nothing'
}

/** Single-quoted text for a shell. */
export function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}

/** The words to offer after a command. */
export function wordsAt({ commands, options, choices }: CommandEntry): string[] {
  return [...commands.map(({ name }) => name), ...choices, ...options.map(({ name }) => name), '--help']
}
