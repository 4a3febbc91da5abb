import { CAPTURE_REASONS, type CaptureReason } from '@deputize/biometrics'
import type { ExternalReason } from './external/verdict.ts'

const OF_CAPTURES: Readonly<Record<CaptureReason, string>> = {
  step_missing: 'Ein Schritt fehlt.',
  face_not_alone: 'Das Gesicht war nicht die ganze Zeit allein im Bild.',
  head_not_turned: 'Der Kopf wurde nicht weit genug zu beiden Seiten gedreht.',
  looks_flat: 'Das Gesicht zeigte keine Tiefe, als der Kopf gedreht wurde.',
  face_differs: 'Das Gesicht passt nicht zum registrierten.',
  no_reflection:
    'Das Gesicht hat die Farben des Bildschirms nicht gespiegelt. Stellen Sie ihn heller, oder gehen Sie in den Schatten.',
  screen_pattern: 'Das Bild zeigt das Muster eines Bildschirms oder eines Drucks.',
  repeated_frames: 'Dasselbe Bild kam mehrmals an.',
  face_changed: 'Das Gesicht hat sich während der Aufnahme geändert.',
  net_refused: 'Eine Prüfung des Betreibers hat Zeichen eines Angriffs gefunden.',
  movement_missed: 'Eine verlangte Bewegung war nicht zu sehen.',
  wrong_digits: 'Die gesprochenen Ziffern waren nicht die auf dem Bildschirm.',
  voice_differs: 'Die Stimme passt nicht gut zur registrierten.',
  not_in_sync: 'Lippen und Ton gehören nicht zusammen.',
  weak_evidence: 'Alles zusammen genügt nicht.',
  gesture_missed: 'Das verlangte Handzeichen war nicht lange genug zu sehen.',
  passkey_missing: 'Dieser Schritt wurde ausgelassen, und kein Passkey hat ihn ersetzt.',
}

/** Why a verification provider did not pass a person. */
export const GERMAN_EXTERNAL_REASONS: Readonly<Record<ExternalReason, string>> = {
  document_unverified: 'Das Dokument konnte nicht geprüft werden.',
  document_expired: 'Das Dokument oder seine Prüfung ist abgelaufen.',
  document_type: 'Diese Art von Dokument wird nicht angenommen.',
  selfie_unverified: 'Das Selfie konnte nicht geprüft werden.',
  face_mismatch: 'Das Gesicht passt nicht zum Dokument.',
  liveness_failed: 'Der Anbieter konnte nicht erkennen, dass eine lebende Person da war.',
  data_mismatch: 'Die Angaben zur Person passen nicht.',
  under_age: 'Die Person ist zu jung.',
  fraud_suspected: 'Der Anbieter vermutet Betrug.',
  consent_declined: 'Die Person hat der Prüfung nicht zugestimmt.',
  abandoned: 'Die Prüfung wurde nicht beendet.',
  unsupported: 'Der Anbieter kann diese Person nicht so prüfen, wie es verlangt wird.',
  technical: 'Ein technisches Problem beim Anbieter. Versuchen Sie es noch einmal.',
  other: 'Der Anbieter hat die Person nicht bestätigt.',
}

/** The German text of each capture reason, by its English text, which is what judgements store. */
export const GERMAN_CAPTURE_REASONS: ReadonlyMap<string, string> = germanOf(CAPTURE_REASONS, OF_CAPTURES)

/** Maps each reason's English text to the German one. */
export function germanOf<Reason extends string>(
  english: Readonly<Record<Reason, string>>,
  german: Readonly<Record<Reason, string>>,
): Map<string, string> {
  const reasons = Object.keys(english) as Reason[] // the keys of a record with these keys
  return new Map(reasons.map((reason) => [english[reason], german[reason]]))
}
