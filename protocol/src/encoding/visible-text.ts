/** Characters that draw nothing, reorder their neighbours or imitate a space, and characters without a fixed meaning. */
const UNSEEN = /[\p{C}\p{Zl}\p{Zp}]|(?! )\p{Zs}|\p{Default_Ignorable_Code_Point}/gu
/** More marks than any language stacks on one letter cover the lines around it. */
const STACKED_MARKS = /(?<=\p{M}{4})\p{M}/gu
const WORD = /[\p{L}\p{M}\p{N}]+/gu
const BEYOND_ASCII = /[^\x20-\x7e]/

/** Scripts whose letters may stand in one word. A word of a script that is not listed is shown by code points. */
const SCRIPTS = [
  ['Latin'],
  ['Han', 'Hiragana', 'Katakana', 'Bopomofo', 'Hangul'],
  ...['Cyrillic', 'Greek', 'Armenian', 'Georgian', 'Hebrew', 'Arabic', 'Ethiopic'].map((one) => [one]),
  ...['Devanagari', 'Bengali', 'Gurmukhi', 'Gujarati', 'Tamil', 'Telugu', 'Kannada'].map((one) => [one]),
  ...['Malayalam', 'Sinhala', 'Thai', 'Lao', 'Myanmar', 'Khmer'].map((one) => [one]),
].map((names) => new RegExp(`^[\\p{scx=Common}${names.map((name) => `\\p{scx=${name}}`).join('')}]$`, 'u'))

/**
 * A text from another party as a person may read it. Control and bidirectional characters, invisible characters and
 * letters that imitate another script inside a word become their code points, such as `⟨U+202E⟩`. Everything else stays,
 * so text that is made visible twice does not change.
 */
export function visibleText(text: string): string {
  if (!BEYOND_ASCII.test(text)) return text
  return text
    .toWellFormed()
    .replaceAll(UNSEEN, codePoint)
    .replaceAll(STACKED_MARKS, codePoint)
    .replaceAll(WORD, visibleWord)
}

function codePoint(character: string): string {
  return `⟨U+${character.codePointAt(0)?.toString(16).toUpperCase().padStart(4, '0')}⟩`
}

/** A word that mixes scripts keeps its Latin letters, or else those of its first letter's script. */
function visibleWord(word: string): string {
  if (!BEYOND_ASCII.test(word)) return word
  const letters = [...word].filter((character) => /\p{L}/u.test(character))
  if (letters.length === 0 || SCRIPTS.some((script) => letters.every((letter) => script.test(letter))))
    return word
  const kept = SCRIPTS.find((script) => letters.some((letter) => script.test(letter)))
  return [...word]
    .map((character) =>
      !/\p{L}/u.test(character) || kept?.test(character) ? character : codePoint(character),
    )
    .join('')
}
