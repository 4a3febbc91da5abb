import { type Entry, quoted, wordsAt } from './entries.ts'

/** Walks the words before the cursor down the tree of commands, then offers what fits there. */
export function bashScript(entries: readonly Entry[]): string {
  return `# Completion of deputy for bash, written by: deputy completion bash
_deputy() {
  local cur=\${COMP_WORDS[COMP_CWORD]} prev=\${COMP_WORDS[COMP_CWORD-1]} at='' words='' i
  for ((i = 1; i < COMP_CWORD; i++)); do
    case "$at \${COMP_WORDS[i]}" in
      ${entries
        .filter(({ path }) => path.length > 0)
        .map(placeOf)
        .join('|')}) at="$at \${COMP_WORDS[i]}" ;;
    esac
  done
  COMPREPLY=()
  case "$at $prev" in
${valueCases(entries, (words) => `words=${quoted(words.join(' '))}`, 'mapfile -t COMPREPLY < <(compgen -f -- "$cur"); return', 'return')}
    *) case "$at" in
${entries.map((entry) => `      ${placeOf(entry)}) words=${quoted(wordsAt(entry).join(' '))} ;;`).join('\n')}
    esac ;;
  esac
  mapfile -t COMPREPLY < <(compgen -W "$words" -- "$cur")
}
complete -F _deputy deputy
`
}

/** How the script writes where it is: a blank before each word. */
export function placeOf({ path }: Entry): string {
  return quoted(path.map((word) => ` ${word}`).join(''))
}

/** A case for each option after which something particular follows. */
export function valueCases(
  entries: readonly Entry[],
  offer: (words: readonly string[]) => string,
  files: string,
  nothing: string,
): string {
  return entries
    .flatMap(({ path, options }) =>
      options
        .filter(({ takes }) => takes !== 'nothing')
        .map(({ name, takes }) => {
          const place = quoted([...path.map((word) => ` ${word}`), ` ${name}`].join(''))
          const follows = takes === 'file' ? files : takes === 'anything' ? nothing : offer([...takes])
          return `    ${place}) ${follows} ;;`
        }),
    )
    .join('\n')
}
