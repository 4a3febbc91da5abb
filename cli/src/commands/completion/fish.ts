import type { CompletedOption, Entry } from './entries.ts'

const FUNCTION = `function __deputy_at
    set -l at
    for word in (commandline -opc)[2..]
        contains -- "$at $word" $__deputy_places; and set at "$at $word"
    end
    test "$at" = "$argv[1]"
end`

/** One line for each command and each option, on the condition that the line is at their place. */
export function fishScript(entries: readonly Entry[]): string {
  const places = entries.filter(({ path }) => path.length > 0).map((entry) => fishQuoted(placeOf(entry)))
  return [
    '# Completion of deputy for fish, written by: deputy completion fish',
    `set -g __deputy_places ${places.join(' ')}`,
    FUNCTION,
    'complete -c deputy -f',
    ...entries.flatMap(linesOf),
    '',
  ].join('\n')
}

function placeOf({ path }: Entry): string {
  return path.map((word) => ` ${word}`).join('')
}

function linesOf(entry: Entry): string[] {
  const start = `complete -c deputy -n ${fishQuoted(`__deputy_at ${fishQuoted(placeOf(entry))}`)}`
  return [
    ...entry.commands.map(({ name, words }) => `${start} -a ${name} -d ${fishQuoted(words)}`),
    ...entry.choices.map((choice) => `${start} -a ${fishQuoted(choice)}`),
    ...entry.options
      .filter(({ name }) => name.startsWith('--'))
      .map(
        (option) => `${start} -l ${option.name.slice(2)}${takenBy(option)} -d ${fishQuoted(option.words)}`,
      ),
  ]
}

function takenBy({ takes }: CompletedOption): string {
  if (takes === 'nothing') return ''
  if (takes === 'file') return ' -r -F'
  return takes === 'anything' ? ' -x' : ` -x -a ${fishQuoted(takes.join(' '))}`
}

/** Between single quotes fish knows a backslash before a quote and before itself. */
function fishQuoted(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`
}
