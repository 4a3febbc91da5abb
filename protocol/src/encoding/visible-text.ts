/** Characters that draw nothing, reorder their neighbours or imitate a space, and characters without a fixed meaning. */
const UNSEEN = String.raw`[\p{C}\p{Zl}\p{Zp}]|(?! )\p{Zs}|\p{Default_Ignorable_Code_Point}`
/** More marks than any language stacks on one letter, which would cover the lines around it. */
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
]

interface Expressions {
  /** Finds an emoji, which is the first group, or an unseen character. */
  readonly emoji_or_unseen: RegExp
  /** One character of each of the scripts. */
  readonly scripts: readonly RegExp[]
}

let made: Expressions | undefined

/** Built for the first non-ASCII text, because that takes 20 ms and most processes never see one. */
function expressions(): Expressions {
  made ??= {
    emoji_or_unseen: emojiOrUnseen(),
    scripts: SCRIPTS.map((names) => {
      const properties = ['Common', ...names].map((name) => `\\p{scx=${name}}`)
      return new RegExp(`^[${properties.join('')}]$`, 'u')
    }),
  }
  return made
}

/**
 * A text from another party in a form that is safe to show to a person. Control and bidirectional characters, invisible
 * characters and letters that imitate another script inside a word become their code points, such as `⟨U+202E⟩`.
 * Everything else stays, so applying this twice changes nothing more. Joiners and selectors stay in the emoji that
 * Unicode recommends, where their effect is visible.
 */
export function visibleText(text: string): string {
  if (!BEYOND_ASCII.test(text)) return text
  return text
    .toWellFormed()
    .replaceAll(
      expressions().emoji_or_unseen,
      (found: string, emoji: string | undefined) => emoji ?? codePoint(found),
    )
    .replaceAll(STACKED_MARKS, codePoint)
    .replaceAll(WORD, visibleWord)
}

/** Old browsers don't know joined emoji, so their joiners are found as unseen characters. */
function emojiOrUnseen(): RegExp {
  try {
    return new RegExp(String.raw`(\p{RGI_Emoji})|${UNSEEN}`, 'gv')
  } catch {
    return new RegExp(`((?!))|${UNSEEN}`, 'gu')
  }
}

/**
 * Cuts a text to at most `most` code points, including the mark at the end. No letter loses its marks, and no emoji its
 * parts.
 */
export function cutText(text: string, most: number, mark = '…'): string {
  if (lengthOf(text) <= most) return text
  const room = Math.max(0, most - lengthOf(mark))
  let [kept, length] = ['', 0]
  for (const { segment } of new Intl.Segmenter(undefined, { granularity: 'grapheme' }).segment(text)) {
    length += lengthOf(segment)
    if (length > room) break
    kept += segment
  }
  return `${kept}${mark}`
}

function lengthOf(text: string): number {
  return [...text].length
}

function codePoint(character: string): string {
  return `⟨U+${character.codePointAt(0)?.toString(16).toUpperCase().padStart(4, '0')}⟩`
}

/** A word that mixes scripts keeps its Latin letters, or else those of its first letter's script. */
function visibleWord(word: string): string {
  if (!BEYOND_ASCII.test(word)) return word
  const { scripts } = expressions()
  const letters = [...word].filter((character) => /\p{L}/u.test(character))
  if (letters.length === 0 || scripts.some((script) => letters.every((letter) => script.test(letter))))
    return word
  const kept = scripts.find((script) => letters.some((letter) => script.test(letter)))
  return [...word]
    .map((character) =>
      !/\p{L}/u.test(character) || kept?.test(character) ? character : codePoint(character),
    )
    .join('')
}
