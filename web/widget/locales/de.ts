import type { WidgetTexts } from './en.ts'

/** German. Uses Sie, like the consent, the prompts of the service and the hosted page. */
export const de: WidgetTexts = {
  title_verify: 'Bestätigen Sie, dass Sie es sind',
  title_enroll: 'Gesicht und Stimme registrieren',
  loading: 'Einen Moment…',
  cancel: 'Abbrechen',
  again: 'Noch einmal',
  sound_on: 'Ton an',
  sound_off: 'Ton aus',

  consent_asked_by: '{name} bittet Sie zu bestätigen, dass Sie es sind.',
  consent_asked: 'Sie werden gebeten zu bestätigen, dass Sie es sind.',
  consent_enroll: 'Beim nächsten Mal zeigt ein kurzer Blick in die Kamera, dass Sie es sind.',
  consent_allows: 'Wenn Sie bestätigen, bekommt {agent} ein Token:',
  consent_may: 'Darf',
  consent_on: 'Bei',
  consent_until: 'Gültig für',
  consent_for: 'Zweck',
  consent_what:
    'Etwa eine Minute: Sie schauen in die Kamera|bewegen den Kopf|sprechen sechs Ziffern|zeigen ein Handzeichen',
  consent_flash:
    'Etwa vier Sekunden lang wechselt der Bildschirm die Farbe, höchstens dreimal pro Sekunde. Wenn flackerndes Licht für Sie ein Risiko ist, wählen Sie einen anderen Weg.',
  consent_text: 'Dem stimmen Sie zu',
  consent_version: 'Version {version}',
  consent_accept: 'Zustimmen und weiter',
  consent_external:
    '{provider} prüft Ihre Identität auf einer eigenen Seite. Dort gelten eigene Bedingungen.',

  other_way: 'Ein anderer Weg',
  other_intro:
    'Lassen Sie weg, was Ihnen nicht möglich ist. Ihr Passkey tritt an die Stelle, es wird also nicht weniger geprüft.',
  other_no_voice: 'Ich kann nicht sprechen, oder es ist hier zu laut',
  other_no_hand: 'Ich kann kein Handzeichen zeigen',
  other_no_flash: 'Keine wechselnden Farben auf dem Bildschirm',
  other_motion: 'Ihr Gerät bittet um weniger Bewegung, deshalb entfallen die wechselnden Farben.',
  other_none:
    'Sie müssen das nicht tun. Brechen Sie ab, und die Seite, von der Sie kommen, bietet Ihnen an, was ohne geht.',

  duration_minutes: '{count} Min.',
  duration_hours: '{count} Std.',

  devices_title: 'Kamera und Mikrofon erlauben',
  devices_title_camera: 'Kamera erlauben',
  devices_ask:
    'Ihr Browser fragt jetzt. Wählen Sie „Zulassen“. Bilder und Ton gehen an den Dienst, der sie prüft, und werden nicht gespeichert.',
  denied_title: 'Die Kamera ist blockiert',
  denied_query:
    'Diese Seite darf Kamera oder Mikrofon nicht benutzen. Öffnen Sie die Website-Einstellungen neben der Adresse und erlauben Sie beides. Passiert dann nichts, versuchen Sie es noch einmal.',
  denied_plain:
    'Der Browser hat keine Erlaubnis bekommen. Erlauben Sie Kamera und Mikrofon für diese Seite in den Einstellungen des Browsers und versuchen Sie es noch einmal.',
  denied_policy:
    'Die Seite, die das hier zeigt, darf die Kamera nicht benutzen. Wer sie entwickelt, muss es erlauben: allow="camera; microphone; publickey-credentials-get".',
  denied_insecure: 'Die Kamera geht nur auf Seiten mit https. Öffnen Sie diese Seite über https.',
  denied_system:
    'Das System blockiert die Kamera für diesen Browser. Erlauben Sie sie in den Datenschutz-Einstellungen des Geräts und versuchen Sie es noch einmal.',
  absent_title: 'Keine Kamera gefunden',
  absent: 'Schließen Sie eine Kamera und ein Mikrofon an, oder öffnen Sie diese Seite auf dem Telefon.',
  absent_microphone: 'Schließen Sie ein Mikrofon an, oder wählen Sie einen anderen Weg ohne Sprechen.',
  busy_title: 'Die Kamera ist belegt',
  busy: 'Ein anderes Programm benutzt die Kamera. Schließen Sie es und versuchen Sie es noch einmal.',
  lost_title: 'Die Kamera ist weg',
  lost: 'Kamera oder Mikrofon wurde getrennt oder ausgeschaltet. Schließen Sie beides wieder an und versuchen Sie es noch einmal.',
  unsupported_title: 'Dieser Browser kann nicht aufnehmen',
  unsupported: 'Verwenden Sie eine aktuelle Version von Safari, Firefox, Chrome oder Edge.',

  framing_title: 'Bringen Sie Ihr Gesicht ins Oval',
  framing_start: 'Starten',
  framing_camera: 'Kamera',
  framing_microphone: 'Mikrofon',
  framing_level: 'Pegel des Mikrofons',
  framing_settings: 'Kamera und Ton',
  framing_read_aloud: 'Anweisungen vorlesen',
  hint_ready: 'Sieht gut aus',
  hint_dark: 'Zu dunkel: Wenden Sie sich einem Fenster oder einer Lampe zu',
  hint_bright: 'Zu hell: Wenden Sie sich vom Licht ab',
  hint_backlit: 'Licht von hinten: Drehen Sie sich so, dass es auf Ihr Gesicht fällt',
  hint_far: 'Kommen Sie näher',
  hint_near: 'Gehen Sie etwas zurück',
  hint_off_centre: 'Rücken Sie in die Mitte',

  step_of: 'Schritt {done} von {total}',
  step_get_ready: 'Gleich geht es los',
  step_flash_soon:
    'Der Bildschirm wechselt jetzt langsam die Farbe. Schauen Sie hierher und halten Sie still.',
  step_recording: 'Aufnahme',
  step_again: 'Noch einmal',
  sending_title: 'Wird gesendet',
  sending_slow: 'Ihre Verbindung ist langsam. Lassen Sie diese Seite offen.',
  sending_offline: 'Keine Verbindung. Es geht weiter, sobald Sie wieder online sind.',
  sending_busy: 'Der Dienst ist ausgelastet. Es geht gleich weiter.',
  opening: 'Die Sitzung wird geöffnet…',
  finishing: 'Wird geprüft…',

  provider_title: 'Weiter mit {provider}',
  provider_text:
    'Es öffnet sich ein neuer Tab. Kommen Sie danach hierher zurück, diese Seite merkt es von selbst.',
  provider_open: '{provider} öffnen',
  provider_waiting: 'Warten auf das Ergebnis…',

  passkey_title: 'Mit Ihrem Passkey bestätigen',
  passkey_title_create: 'Passkey anlegen',
  passkey_text:
    'Ihr Gerät fragt nach Fingerabdruck, Gesicht oder PIN. Der Passkey unterschreibt nur diese Aufnahme.',
  passkey_text_request:
    'Ihr Gerät fragt nach Fingerabdruck, Gesicht oder PIN. Der Passkey unterschreibt nur diese Aufnahme und dieses Token.',
  passkey_text_create:
    'Damit bestätigen Sie spätere Prüfungen. Ihr Gerät fragt nach Fingerabdruck, Gesicht oder PIN.',
  passkey_use: 'Passkey benutzen',
  passkey_create: 'Passkey anlegen',
  passkey_not_used: 'Der Passkey wurde nicht benutzt. Versuchen Sie es noch einmal.',
  passkey_exists:
    'Auf diesem Gerät gibt es schon einen Passkey für Sie. Verwenden Sie ein anderes Gerät, oder brechen Sie ab.',
  passkey_unsupported: 'Dieser Browser kann hier keine Passkeys benutzen.',
  passkey_refused: 'Dieser Passkey wird nicht akzeptiert. Benutzen Sie einen anderen oder ein anderes Gerät.',

  done_title: 'Sie sind bestätigt',
  done_title_enroll: 'Sie sind registriert',
  done: 'Sie können das hier schließen.',
  done_token: '{agent} hat das Token. Sie können das hier schließen.',
  done_elsewhere: 'Machen Sie dort weiter, wo Sie angefangen haben. Sie können das hier schließen.',

  retry_title: 'Das hat noch nicht geklappt',
  retry_left: 'Verbleibende Versuche: {count}',
  failed_title: 'Nicht bestätigt',
  failed_closed_title: 'Sie können hier nicht fortfahren',
  cancelled_title: 'Abgebrochen',
  cancelled: 'Es wurde nichts bestätigt, und keine Aufnahme wird behalten.',

  why_hidden: 'Die Seite war während der Aufnahme im Hintergrund. Lassen Sie sie im Vordergrund.',
  why_slow:
    'Die Aufnahme kam zu spät an. Gehen Sie näher an den Router, oder verwenden Sie ein anderes Netz.',
  why_interrupted: 'Die Aufnahme wurde unterbrochen.',
  why_timeout: 'Die drei Minuten sind um.',
  why_offline: 'Die Verbindung war zu lange weg.',
  why_engine: 'Das kann gerade nicht geprüft werden. Versuchen Sie es in einer Minute noch einmal.',
  why_retry: 'Die Aufnahme war nicht gut genug.',

  end_expired: 'Dieser Link ist abgelaufen. Gehen Sie zurück und fangen Sie neu an.',
  end_used: 'Diese Prüfung ist schon abgeschlossen.',
  end_taken: 'Diese Prüfung läuft auf einem anderen Gerät.',
  end_cancelled: 'Diese Prüfung wurde abgebrochen.',
  end_unknown: 'Dieser Link ist nicht gültig. Gehen Sie zurück und fangen Sie neu an.',
  end_locked: 'Zu viele Versuche. Warten Sie eine Weile und fangen Sie dann neu an.',
  end_not_enrolled: 'Sie sind noch nicht registriert.',
  end_review: 'Das Ergebnis ist nicht klar genug. Gehen Sie zurück zu der Seite, von der Sie kommen.',
  end_failed: 'Die Prüfung konnte nicht bestätigen, dass Sie es sind.',
  end_blocked:
    'Diese Seite darf den Prüfdienst nicht aufrufen. Wer sie entwickelt, muss ihre Adresse in DEPUTY_WIDGET_ORIGINS eintragen.',
  end_other: 'Etwas ist schiefgegangen. Gehen Sie zurück und fangen Sie neu an.',
}
