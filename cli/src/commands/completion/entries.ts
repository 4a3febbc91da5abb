import type { Command } from 'commander'

/** A command as its completion needs it. */
export interface Entry {
  /** The words after `deputy`; empty for `deputy` itself. */
  readonly path: readonly string[]
  readonly commands: readonly Named[]
  readonly options: readonly CompletedOption[]
  /** The words that its arguments can be. */
  readonly choices: readonly string[]
}

interface Named {
  readonly name: string
  readonly words: string
}

export interface CompletedOption extends Named {
  /** What may follow: nothing, one of some words, a file, or anything. */
  readonly takes: 'nothing' | 'anything' | 'file' | readonly string[]
}

/** The command and all below it. */
export function entriesOf(command: Command, path: readonly string[] = []): Entry[] {
  const standard = command.commands.filter(isDefault)
  const own = {
    path,
    commands: command.commands.map((one) => ({ name: one.name(), words: one.description() })),
    // A group called by itself does what its default does.
    options: [command, ...standard].flatMap(({ options }) => options.map(completed)),
    choices: command.registeredArguments.flatMap(({ argChoices = [] }) => argChoices),
  }
  return [own, ...command.commands.flatMap((one) => entriesOf(one, [...path, one.name()]))]
}

function isDefault(command: Command): boolean {
  const { parent } = command
  // Commander keeps the name of the default command under this name, and says it nowhere else.
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

/** Text between single quotes, in a shell. */
export function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}

/** What is offered where nothing of the line before demands otherwise. */
export function wordsAt({ commands, options, choices }: Entry): string[] {
  return [...commands.map(({ name }) => name), ...choices, ...options.map(({ name }) => name), '--help']
}
