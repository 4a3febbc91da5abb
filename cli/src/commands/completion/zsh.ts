import { placeOf, valueCases } from './bash.ts'
import { type Entry, quoted, wordsAt } from './entries.ts'

/** As that for bash, with what zsh has instead. */
export function zshScript(entries: readonly Entry[]): string {
  const offer = (words: readonly string[]) => `compadd -- ${words.map(quoted).join(' ')}`
  return `#compdef deputy
# Completion of deputy for zsh, written by: deputy completion zsh
_deputy() {
  local at='' prev=\${words[CURRENT-1]} i
  for ((i = 2; i < CURRENT; i++)); do
    case "$at \${words[i]}" in
      ${entries
        .filter(({ path }) => path.length > 0)
        .map(placeOf)
        .join('|')}) at="$at \${words[i]}" ;;
    esac
  done
  case "$at $prev" in
${valueCases(entries, offer, '_files', 'return')}
    *) case "$at" in
${entries.map((entry) => `      ${placeOf(entry)}) ${offer(wordsAt(entry))} ;;`).join('\n')}
    esac ;;
  esac
}
_deputy "$@"
`
}
