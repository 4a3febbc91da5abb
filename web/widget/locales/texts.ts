import { de } from './de.ts'
import { en, type WidgetTexts } from './en.ts'

/** A new language is a new file with this type, plus an entry here. */
const LANGUAGES: Readonly<Record<string, WidgetTexts>> = { en, de }

export interface ChosenLanguage {
  /** The key of the language, such as `de`. */
  readonly language: string
  readonly texts: WidgetTexts
}

/** The first wanted language that has texts, or English. The region is ignored: de-AT is de. */
export function languageFor(wanted: readonly string[]): ChosenLanguage {
  for (const tag of wanted) {
    const language = tag.toLowerCase().split('-')[0] ?? ''
    const texts = Object.hasOwn(LANGUAGES, language) ? LANGUAGES[language] : undefined
    if (texts !== undefined) return { language, texts }
  }
  return { language: 'en', texts: en }
}

/** Fills `{name}` with values. A value is never read as a template. */
export function filled(text: string, values: Readonly<Record<string, string | number>>): string {
  return text.replaceAll(/\{(\w+)\}/g, (whole, name) =>
    Object.hasOwn(values, name) ? String(values[name]) : whole,
  )
}
