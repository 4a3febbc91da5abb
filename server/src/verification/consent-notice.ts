import { hash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { canonicalJson, isObject, readJson } from '@deputize/protocol'

export const CONSENT_LANGUAGES = ['en', 'de'] as const
type ConsentTexts = Readonly<Record<(typeof CONSENT_LANGUAGES)[number], string>>

/** The text that a person accepts before any data about their face or voice is stored. */
export interface ConsentNotice {
  /** Sent back when the person accepts. */
  readonly version: string
  readonly texts: ConsentTexts
  /** SHA-256 of version and texts. Stored with the template to record what the person accepted. */
  readonly text_hash: string
}

/** Placeholder for the number of days that a template is kept, which an operator sets. */
const RETENTION_DAYS = '{retention_days}'
const MOST_CHARACTERS = 20_000

const BUILT_IN = {
  version: '1',
  texts: {
    en: [
      'To confirm that it is you, this service takes pictures of your face and, if you allow it, records your voice. From them it computes a template: numbers that describe your face and your voice.',
      'The pictures and the recording are processed in memory and are not stored. The template is stored encrypted, for you alone. It is used only to check that you are the person who enrolled, and it is not given to anyone else.',
      `The template is deleted ${RETENTION_DAYS} days after you enroll, when you delete it, or when your data is erased, whichever comes first.`,
      'You can export or delete the template at any time. Tokens that were issued because of it then stop working. You do not have to agree: without it you can still sign in, and act at a lower assurance level.',
      'By accepting, you agree that your face and your voice are processed in this way.',
    ].join('\n\n'),
    de: [
      'Um zu bestätigen, dass Sie es sind, nimmt dieser Dienst Bilder Ihres Gesichts und, wenn Sie es erlauben, Ihre Stimme auf. Daraus berechnet er eine Vorlage: Zahlen, die Ihr Gesicht und Ihre Stimme beschreiben.',
      'Die Bilder und die Tonaufnahme werden nur im Arbeitsspeicher verarbeitet und nicht gespeichert. Die Vorlage wird verschlüsselt und nur für Sie gespeichert. Sie dient allein dazu, zu prüfen, ob Sie die Person sind, die sich registriert hat, und wird niemandem weitergegeben.',
      `Die Vorlage wird ${RETENTION_DAYS} Tage nach der Registrierung gelöscht, oder sobald Sie sie löschen oder Ihre Daten gelöscht werden, je nachdem, was zuerst eintritt.`,
      'Sie können die Vorlage jederzeit exportieren oder löschen. Token, die ihretwegen ausgestellt wurden, gelten dann nicht mehr. Sie müssen nicht zustimmen: Auch ohne Vorlage können Sie sich anmelden und auf einer niedrigeren Vertrauensstufe handeln.',
      'Mit der Zustimmung erlauben Sie, dass Ihr Gesicht und Ihre Stimme auf diese Weise verarbeitet werden.',
    ].join('\n\n'),
  },
} as const

export type ConsentRead =
  | { readonly notice: ConsentNotice; readonly problem?: undefined }
  | { readonly notice?: undefined; readonly problem: string }

/** Returns the built-in text, or the operator's own. */
export function loadConsent(file: string | undefined, retention_days: number): ConsentRead {
  if (file === undefined) return { notice: noticeOf(BUILT_IN.version, BUILT_IN.texts, retention_days) }
  try {
    return readConsent(readFileSync(file, 'utf8'), retention_days)
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'it is not JSON'
    return { problem: `Cannot read ${file} (${code}). Check the path, its permissions and its content.` }
  }
}

/** Reads an operator's text: an object with `version`, `en` and `de`. */
function readConsent(text: string, retention_days: number): ConsentRead {
  const read: unknown = readJson(text)
  const { version, en, de, ...others } = isObject(read) ? read : {}
  if (typeof version !== 'string' || !/^[\w.-]{1,64}$/.test(version))
    return { problem: 'version must have 1 to 64 letters, digits, dots, dashes or underscores.' }
  if (!isNotice(en) || !isNotice(de))
    return { problem: `en and de must each be a text of at most ${MOST_CHARACTERS} characters.` }
  const [unknown] = Object.keys(others)
  if (unknown !== undefined) return { problem: `${unknown} is unknown. Known are version, en and de.` }
  return { notice: noticeOf(version, { en, de }, retention_days) }
}

function isNotice(text: unknown): text is string {
  return typeof text === 'string' && text.trim() !== '' && text.length <= MOST_CHARACTERS
}

function noticeOf(version: string, { en, de }: ConsentTexts, retention_days: number): ConsentNotice {
  const withDays = (text: string) => text.replaceAll(RETENTION_DAYS, String(retention_days))
  const texts = { en: withDays(en), de: withDays(de) }
  return { version, texts, text_hash: `sha256:${hash('sha256', canonicalJson({ version, texts }))}` }
}
