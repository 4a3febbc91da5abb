import type { Command } from 'commander'

/** An error of commander on one line, with the nearest option or command that exists. */
export function withSuggestion(text: string, command: Command): string {
  const [, flag] = /^error: unknown option '(--[^'=]+)/.exec(text) ?? []
  if (flag === undefined) return text.replace(SIMILAR, (_, words: string) => asked(words))
  const [, similar] = SIMILAR.exec(text) ?? []
  const words = optionWithWords(flag, command) ?? similar
  // A value is left out: it can be a secret.
  return `error: unknown option '${flag}'${words === undefined ? '' : asked(words)}\n`
}

/** What commander finds by spelling. */
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
