import { QUALITY_REASONS, type QualityReason } from '@deputize/biometrics'
import type { CaptureLocale } from './capture-prompts.ts'

/** What to do better, in the language of the person. */
export const QUALITY_TEXTS: Readonly<Record<CaptureLocale, Readonly<Record<QualityReason, string>>>> = {
  en: QUALITY_REASONS,
  de: {
    no_face: 'Es ist kein Gesicht zu sehen. Schau in die Kamera.',
    several_faces: 'Es ist mehr als ein Gesicht zu sehen. Achte darauf, dass du allein im Bild bist.',
    too_dark: 'Das Bild ist zu dunkel. Wende dich einem Fenster oder einer Lampe zu.',
    too_bright: 'Das Bild ist zu hell. Wende dich vom Licht ab.',
    too_far: 'Dein Gesicht ist zu klein im Bild. Komm näher.',
    too_few_frames: 'Es sind zu wenige Bilder angekommen. Prüfe die Verbindung und versuch es noch einmal.',
    no_speech: 'Es ist keine Sprache zu hören. Prüfe das Mikrofon und sprich deutlich.',
    too_noisy: 'Der Raum ist zu laut. Geh an einen ruhigeren Ort.',
  },
}
