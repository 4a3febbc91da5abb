/** The texts of the page. Another language is another object of the same shape. */
const EN = {
  title_verify: 'Verify that it’s you',
  title_enroll: 'Enroll your face and voice',
  asked_by: '{name} asks you to confirm this:',
  asked_by_plain: '{name} asks you to show that it’s you.',
  asked: 'You are asked to confirm this:',
  asked_plain: 'Show that it’s you.',
  asked_by_you: 'You started this on your own page.',
  phone: 'On your phone',
  phone_how: 'Point the camera of your phone at the code, and open the page that it shows.',
  code_label: 'QR code that continues this verification on your phone',
  code_left: 'The code works on one device for another {time}.',
  code_over: 'This code has expired.',
  new_code: 'Show a new code',
  computer: 'On this device',
  use_computer: 'Use this device',
  no_camera: 'This device has no camera.',
  cancel: 'Cancel',
  moved: 'Continue on your phone',
  moved_how: 'Keep this page open. It shows the result.',
  steps: '{done} of {total} steps done',
  again: "It hasn't worked yet",
  again_how: 'Try again on your phone, or start over here.',
  start_over: 'Start over',
  verified: 'You’re verified',
  enrolled: 'You’re enrolled',
  close: 'You can close this page.',
  on_other: 'Continue on your other device. You can close this page.',
  back: 'Return to {site}',
  going_back: 'Returning to {site} in a moment.',
  cancelled: 'Cancelled',
  cancelled_how: 'Nothing was confirmed.',
  expired: 'This verification has expired',
  expired_how: 'Ask for a new link. Nothing was confirmed.',
  failed: 'You could not be verified',
  failed_how: 'Nothing was confirmed. Ask for a new link to try again.',
  unknown: 'This link doesn’t work',
  unknown_how: 'It is incomplete or has expired. Ask for a new one.',
  returned: 'Go back to where you started',
  returned_how: 'Close this page. The page where you started continues automatically.',
  code_unknown: 'This code no longer works',
  code_unknown_how: 'A code works for two minutes. Show a new one on your other device.',
  code_used: 'This code was already used',
  code_used_how:
    'Each code works once. To use another device, show a new code on the device where you started.',
  withdrawn: 'This verification was withdrawn',
  withdrawn_how: 'The program that requested it no longer has permission. Nothing was confirmed.',
  trouble: 'The service can’t be reached',
  trouble_how: 'Check your connection. The page retries automatically.',
} as const

export type PageTexts = Readonly<Record<keyof typeof EN, string>>

const DE: PageTexts = {
  title_verify: 'Bestätigen Sie, dass Sie es sind',
  title_enroll: 'Gesicht und Stimme registrieren',
  asked_by: '{name} bittet Sie, Folgendes zu bestätigen:',
  asked_by_plain: '{name} bittet Sie zu zeigen, dass Sie es sind.',
  asked: 'Sie werden gebeten, Folgendes zu bestätigen:',
  asked_plain: 'Sie werden gebeten zu zeigen, dass Sie es sind.',
  asked_by_you: 'Sie haben dies auf Ihrer eigenen Seite begonnen.',
  phone: 'Auf Ihrem Telefon',
  phone_how: 'Richten Sie die Kamera Ihres Telefons auf den Code und öffnen Sie die Seite, die es anzeigt.',
  code_label: 'QR-Code, mit dem Sie auf Ihrem Telefon fortfahren',
  code_left: 'Der Code gilt noch {time}, für ein Gerät.',
  code_over: 'Dieser Code ist abgelaufen.',
  new_code: 'Neuen Code anzeigen',
  computer: 'Auf diesem Gerät',
  use_computer: 'Dieses Gerät verwenden',
  no_camera: 'Dieses Gerät hat keine Kamera.',
  cancel: 'Abbrechen',
  moved: 'Fahren Sie auf Ihrem Telefon fort',
  moved_how: 'Lassen Sie diese Seite offen. Sie zeigt das Ergebnis.',
  steps: '{done} von {total} Schritten erledigt',
  again: 'Es hat noch nicht geklappt',
  again_how: 'Versuchen Sie es auf dem Telefon noch einmal, oder beginnen Sie hier von vorn.',
  start_over: 'Von vorn beginnen',
  verified: 'Sie sind bestätigt',
  enrolled: 'Sie sind registriert',
  close: 'Sie können diese Seite schließen.',
  on_other: 'Fahren Sie auf dem anderen Gerät fort. Sie können diese Seite schließen.',
  back: 'Zurück zu {site}',
  going_back: 'Sie kehren gleich zu {site} zurück.',
  cancelled: 'Abgebrochen',
  cancelled_how: 'Es wurde nichts bestätigt.',
  expired: 'Diese Bestätigung ist abgelaufen',
  expired_how: 'Bitten Sie um einen neuen Link. Es wurde nichts bestätigt.',
  failed: 'Sie konnten nicht bestätigt werden',
  failed_how: 'Es wurde nichts bestätigt. Bitten Sie für einen neuen Versuch um einen neuen Link.',
  unknown: 'Dieser Link funktioniert nicht',
  unknown_how: 'Er ist unvollständig oder abgelaufen. Bitten Sie um einen neuen.',
  returned: 'Gehen Sie zurück, wo Sie begonnen haben',
  returned_how: 'Schließen Sie diese Seite. Die Seite, auf der Sie begonnen haben, geht von selbst weiter.',
  code_unknown: 'Dieser Code gilt nicht mehr',
  code_unknown_how: 'Ein Code gilt zwei Minuten. Lassen Sie sich auf dem anderen Gerät einen neuen anzeigen.',
  code_used: 'Dieser Code wurde schon verwendet',
  code_used_how:
    'Er gilt einmal. Soll ein anderes Gerät übernehmen, lassen Sie sich dort, wo Sie begonnen haben, einen neuen Code anzeigen.',
  withdrawn: 'Diese Bestätigung wurde zurückgezogen',
  withdrawn_how: 'Wer darum gebeten hat, darf das nicht mehr. Es wurde nichts bestätigt.',
  trouble: 'Der Dienst ist nicht erreichbar',
  trouble_how: 'Prüfen Sie Ihre Verbindung. Die Seite versucht es von selbst weiter.',
}

const LANGUAGES: Readonly<Record<string, PageTexts>> = { en: EN, de: DE }

export interface PageLanguage {
  readonly language: string
  readonly texts: PageTexts
}

/** The first of the reader's languages that the page has. */
export function pageLanguage(wanted: readonly string[]): PageLanguage {
  for (const one of wanted) {
    const [language = ''] = one.toLowerCase().split('-')
    const texts = Object.hasOwn(LANGUAGES, language) ? LANGUAGES[language] : undefined
    if (texts !== undefined) return { language, texts }
  }
  return { language: 'en', texts: EN }
}

export function withValues(text: string, values: Readonly<Record<string, string>>): string {
  return text.replaceAll(/\{(\w+)\}/g, (whole, name: string) => values[name] ?? whole)
}
