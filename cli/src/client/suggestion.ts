import type { Command } from 'commander'

/** An error from commander on one line, with the nearest existing option or command. */
export function withSuggestion(text: string, command: Command): string {
  const [, unknown = ''] = /^error: unknown command '([^']+)'/.exec(text) ?? []
  const meant = OTHER_NAMES.get(unknown)
  if (meant !== undefined) return `error: unknown command '${unknown}'. Did you mean '${meant}'?\n`
  const [, flag] = /^error: unknown option '(--[^'=]+)/.exec(text) ?? []
  if (flag === undefined) return text.replace(SIMILAR, (_, words: string) => asked(words))
  const [, similar] = SIMILAR.exec(text) ?? []
  const words = optionWithWords(flag, command) ?? similar
  // The value is left out: it can be a secret.
  return `error: unknown option '${flag}'${words === undefined ? '' : asked(words)}\n`
}

/** What people type if they know the subject but not the command. */
const OTHER_NAMES: ReadonlyMap<string, string> = new Map([
  ['token', 'tokens'],
  ['renew', 'tokens renew'],
  ['event', 'tail'],
  ['events', 'tail'],
  ['log', 'tail'],
  ['logs', 'tail'],
  ['tree', 'show'],
  ['workflow', 'show'],
  ['workflows', 'show'],
  ['suspend', 'agents suspend'],
  ['resume', 'agents resume'],
  ['humans', 'people'],
  ['users', 'people'],
  ['serve', 'start'],
  ['run', 'start'],
  ['init', 'start'],
])

/** Matches the suggestion that commander finds by spelling. */
const SIMILAR = /\n\(Did you mean (.+)\?\)/

function asked(words: string): string {
  return `. Did you mean ${words.replaceAll(/(?<=^|, |one of )(?!one of )[\w-]+/g, "'$&'")}?`
}

/** The shortest option that contains all words of this one, as `--developer-email` does for `--email`. */
function optionWithWords(flag: string, command: Command): string | undefined {
  const words = wordsIn(flag)
  return command
    .createHelp()
    .visibleOptions(command)
    .flatMap(({ long }) => long ?? [])
    .filter((known) => words.every((word) => wordsIn(known).includes(word)))
    .toSorted((one, other) => one.length - other.length)[0]
}

function wordsIn(flag: string): string[] {
  return flag.slice('--'.length).split('-')
}
