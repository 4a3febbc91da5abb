import type { WidgetTexts } from './en.ts'

/** German. */
export const de: WidgetTexts = {
  title_verify: 'Bestätige, dass du es bist',
  title_enroll: 'Gesicht und Stimme registrieren',
  loading: 'Einen Moment…',
  cancel: 'Abbrechen',
  again: 'Noch einmal',
  sound_on: 'Ton an',
  sound_off: 'Ton aus',

  consent_asked_by: '{name} bittet dich zu bestätigen, dass du es bist.',
  consent_asked: 'Du wirst gebeten zu bestätigen, dass du es bist.',
  consent_enroll: 'Beim nächsten Mal zeigt ein kurzer Blick in die Kamera, dass du es bist.',
  consent_allows: 'Wenn du bestätigst, bekommt {agent} ein Token:',
  consent_may: 'Darf',
  consent_on: 'Bei',
  consent_until: 'Gültig für',
  consent_for: 'Zweck',
  consent_what:
    'Etwa eine Minute: Du schaust in die Kamera, bewegst den Kopf, sprichst sechs Ziffern und zeigst ein Handzeichen.',
  consent_flash:
    'Etwa vier Sekunden lang wechselt der Bildschirm die Farbe, höchstens dreimal pro Sekunde. Wenn flackerndes Licht für dich ein Risiko ist, wähle einen anderen Weg.',
  consent_text: 'Dem stimmst du zu',
  consent_version: 'Version {version}',
  consent_accept: 'Zustimmen und weiter',
  consent_external:
    '{provider} prüft deine Identität auf einer eigenen Seite. Dort gelten eigene Bedingungen.',

  other_way: 'Ein anderer Weg',
  other_intro:
    'Lass weg, was du nicht kannst. Dein Passkey tritt an die Stelle, es wird also nicht weniger geprüft.',
  other_no_voice: 'Ich kann nicht sprechen, oder es ist hier zu laut',
  other_no_hand: 'Ich kann kein Handzeichen zeigen',
  other_no_flash: 'Keine wechselnden Farben auf dem Bildschirm',
  other_motion: 'Dein Gerät bittet um weniger Bewegung, deshalb entfallen die wechselnden Farben.',
  other_none:
    'Du musst das nicht tun. Brich ab, und die Seite, von der du kommst, bietet dir an, was ohne geht.',

  duration_minutes: '{count} Min.',
  duration_hours: '{count} Std.',

  devices_title: 'Kamera und Mikrofon erlauben',
  devices_title_camera: 'Kamera erlauben',
  devices_ask:
    'Dein Browser fragt jetzt. Wähle „Zulassen“. Bilder und Ton gehen an den Dienst, der sie prüft, und werden nicht gespeichert.',
  denied_title: 'Die Kamera ist blockiert',
  denied_query:
    'Diese Seite darf Kamera oder Mikrofon nicht benutzen. Öffne die Website-Einstellungen neben der Adresse, erlaube beides und versuch es noch einmal.',
  denied_plain:
    'Der Browser hat keine Erlaubnis bekommen. Erlaube Kamera und Mikrofon für diese Seite in den Einstellungen des Browsers und versuch es noch einmal.',
  denied_policy:
    'Die Seite, die das hier zeigt, darf die Kamera nicht benutzen. Wer sie entwickelt, muss es erlauben: allow="camera; microphone; publickey-credentials-get".',
  denied_insecure: 'Die Kamera geht nur auf Seiten mit https. Öffne diese Seite über https.',
  denied_system:
    'Das System blockiert die Kamera für diesen Browser. Erlaube sie in den Datenschutz-Einstellungen des Geräts und versuch es noch einmal.',
  absent_title: 'Keine Kamera gefunden',
  absent: 'Schließ eine Kamera und ein Mikrofon an, oder öffne diese Seite auf dem Telefon.',
  absent_microphone: 'Schließ ein Mikrofon an, oder wähle einen anderen Weg ohne Sprechen.',
  busy_title: 'Die Kamera ist belegt',
  busy: 'Ein anderes Programm benutzt die Kamera. Schließ es und versuch es noch einmal.',
  lost_title: 'Die Kamera ist weg',
  lost: 'Kamera oder Mikrofon wurde getrennt oder ausgeschaltet. Schließ sie wieder an und versuch es noch einmal.',
  unsupported_title: 'Dieser Browser kann nicht aufnehmen',
  unsupported: 'Nimm eine aktuelle Version von Safari, Firefox, Chrome oder Edge.',

  framing_title: 'Bring dein Gesicht ins Oval',
  framing_start: 'Los',
  framing_camera: 'Kamera',
  framing_microphone: 'Mikrofon',
  framing_level: 'Pegel des Mikrofons',
  framing_settings: 'Kamera und Ton',
  framing_read_aloud: 'Anweisungen vorlesen',
  hint_ready: 'Sieht gut aus',
  hint_dark: 'Zu dunkel: Wende dich einem Fenster oder einer Lampe zu',
  hint_bright: 'Zu hell: Wende dich vom Licht ab',
  hint_backlit: 'Licht von hinten: Dreh dich so, dass es auf dein Gesicht fällt',
  hint_far: 'Komm näher',
  hint_near: 'Geh etwas zurück',
  hint_off_centre: 'Rück in die Mitte',

  step_of: 'Schritt {done} von {total}',
  step_get_ready: 'Gleich geht es los',
  step_flash_soon: 'Der Bildschirm wechselt jetzt langsam die Farbe. Schau hierher und halt still.',
  step_recording: 'Aufnahme',
  step_again: 'Noch einmal',
  sending_title: 'Wird gesendet',
  sending_slow: 'Deine Verbindung ist langsam. Lass diese Seite offen.',
  sending_offline: 'Keine Verbindung. Es geht weiter, sobald du wieder online bist.',
  sending_busy: 'Der Dienst ist ausgelastet. Es geht gleich weiter.',
  opening: 'Die Sitzung wird geöffnet…',
  finishing: 'Wird geprüft…',

  provider_title: 'Weiter mit {provider}',
  provider_text: 'Es öffnet sich ein neuer Tab. Komm danach hierher zurück, diese Seite merkt es von selbst.',
  provider_text_alone: 'Es öffnet sich ein neuer Tab. Komm danach hierher zurück.',
  provider_done: 'Dort bin ich fertig',
  provider_open: '{provider} öffnen',
  provider_waiting: 'Warten auf das Ergebnis…',

  passkey_title: 'Mit deinem Passkey bestätigen',
  passkey_title_create: 'Passkey anlegen',
  passkey_text:
    'Dein Gerät fragt nach Fingerabdruck, Gesicht oder PIN. Der Passkey unterschreibt nur diese Aufnahme.',
  passkey_text_request:
    'Dein Gerät fragt nach Fingerabdruck, Gesicht oder PIN. Der Passkey unterschreibt nur diese Aufnahme und dieses Token.',
  passkey_text_create:
    'Damit bestätigst du spätere Prüfungen. Dein Gerät fragt nach Fingerabdruck, Gesicht oder PIN.',
  passkey_use: 'Passkey benutzen',
  passkey_create: 'Passkey anlegen',
  passkey_not_used: 'Der Passkey wurde nicht benutzt. Versuch es noch einmal.',
  passkey_exists:
    'Auf diesem Gerät gibt es schon einen Passkey für dich. Nimm ein anderes Gerät, oder brich ab.',
  passkey_unsupported: 'Dieser Browser kann hier keine Passkeys benutzen.',

  done_title: 'Du bist es',
  done_title_enroll: 'Du bist registriert',
  done: 'Du kannst das hier schließen.',
  done_token: '{agent} hat das Token. Du kannst das hier schließen.',
  done_elsewhere: 'Mach dort weiter, wo du angefangen hast. Du kannst das hier schließen.',

  retry_title: 'Das hat noch nicht geklappt',
  retry_left: 'Verbleibende Versuche: {count}',
  failed_title: 'Nicht bestätigt',
  failed_closed_title: 'Hier geht es nicht weiter',
  cancelled_title: 'Abgebrochen',
  cancelled: 'Die Aufnahme wurde verworfen.',

  why_hidden: 'Die Seite war während der Aufnahme im Hintergrund. Lass sie im Vordergrund.',
  why_slow: 'Die Aufnahme kam zu spät an. Geh näher an den Router, oder nimm ein anderes Netz.',
  why_interrupted: 'Die Aufnahme wurde unterbrochen.',
  why_timeout: 'Die drei Minuten sind um.',
  why_offline: 'Die Verbindung war zu lange weg.',
  why_engine: 'Der Dienst kann gerade keine Aufnahmen prüfen. Versuch es in einer Minute noch einmal.',
  why_retry: 'Die Aufnahme war nicht gut genug.',

  end_expired: 'Dieser Link ist abgelaufen. Geh zurück und fang neu an.',
  end_used: 'Diese Prüfung ist schon abgeschlossen.',
  end_taken: 'Diese Prüfung läuft auf einem anderen Gerät.',
  end_cancelled: 'Diese Prüfung wurde abgebrochen.',
  end_unknown: 'Dieser Link ist nicht gültig. Geh zurück und fang neu an.',
  end_locked: 'Zu viele Versuche. Warte eine Weile und fang dann neu an.',
  end_not_enrolled: 'Du bist noch nicht registriert.',
  end_review: 'Das Ergebnis ist nicht klar genug. Geh zurück zu der Seite, von der du kommst.',
  end_failed: 'Nach der Prüfung bist du es vielleicht nicht.',
  end_blocked:
    'Diese Seite darf den Prüfdienst nicht aufrufen. Wer sie entwickelt, muss ihre Adresse in DEPUTY_WIDGET_ORIGINS eintragen.',
  end_other: 'Etwas ist schiefgegangen. Geh zurück und fang neu an.',
}
