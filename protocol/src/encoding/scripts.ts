/** Scripts that people write names in: those that UAX 31 recommends for identifiers, and those in limited use. */
const SCRIPTS = [
  'Latin',
  ...['Arabic', 'Armenian', 'Bengali', 'Bopomofo', 'Cyrillic', 'Devanagari', 'Ethiopic', 'Georgian', 'Greek'],
  ...['Gujarati', 'Gurmukhi', 'Han', 'Hangul', 'Hebrew', 'Hiragana', 'Kannada', 'Katakana', 'Khmer', 'Lao'],
  ...['Malayalam', 'Myanmar', 'Oriya', 'Sinhala', 'Tamil', 'Telugu', 'Thaana', 'Thai', 'Tibetan'],
  ...['Adlam', 'Balinese', 'Bamum', 'Batak', 'Canadian_Aboriginal', 'Chakma', 'Cham', 'Cherokee', 'Javanese'],
  ...['Kayah_Li', 'Lepcha', 'Limbu', 'Lisu', 'Mandaic', 'Meetei_Mayek', 'Miao', 'Mongolian', 'New_Tai_Lue'],
  ...['Newa', 'Nko', 'Ol_Chiki', 'Osage', 'Saurashtra', 'Sundanese', 'Syloti_Nagri', 'Syriac', 'Tai_Le'],
  ...['Tai_Tham', 'Tai_Viet', 'Tifinagh', 'Vai', 'Yi'],
]

/** Scripts that are commonly written together and share no look-alikes (UTS 39, "highly restrictive"). */
const TOGETHER = [
  ['Latin', 'Han', 'Hiragana', 'Katakana'],
  ['Latin', 'Han', 'Bopomofo'],
  ['Latin', 'Han', 'Hangul'],
]

const ASCII = /^[\x20-\x7e]*$/
let alternatives: RegExp[] | undefined

/** Whether the letters of a text belong to one script, or to scripts that are commonly written together. */
export function hasOneScript(text: string): boolean {
  if (ASCII.test(text)) return true
  // Compiled for the first text that needs them.
  alternatives ??= [...SCRIPTS.map((script) => [script]), ...TOGETHER].map(lettersOf)
  return alternatives.some((alternative) => alternative.test(text))
}

/** Matches texts whose characters belong to these scripts, or to no script, such as digits and punctuation. */
function lettersOf(scripts: readonly string[]): RegExp {
  const sets = scripts.map((script) => `\\p{Script_Extensions=${script}}`).join('')
  return new RegExp(`^[${sets}\\p{Script=Common}\\p{Script=Inherited}]*$`, 'u')
}
