import { QUALITY_REASONS, type QualityReason } from '@deputize/biometrics'
import type { CaptureLocale } from './capture-prompts.ts'

/** What to do better, in the person's language. */
export const QUALITY_TEXTS: Readonly<Record<CaptureLocale, Readonly<Record<QualityReason, string>>>> = {
  en: QUALITY_REASONS,
  de: {
    no_face: 'Es ist kein Gesicht zu sehen. Schauen Sie in die Kamera.',
    several_faces: 'Es ist mehr als ein Gesicht zu sehen. Achten Sie darauf, dass Sie allein im Bild sind.',
    too_dark: 'Das Bild ist zu dunkel. Wenden Sie sich einem Fenster oder einer Lampe zu.',
    too_bright: 'Das Bild ist zu hell. Wenden Sie sich vom Licht ab.',
    too_far: 'Ihr Gesicht ist zu klein im Bild. Kommen Sie näher.',
    too_few_frames:
      'Es sind zu wenige Bilder angekommen. Prüfen Sie die Verbindung und versuchen Sie es noch einmal.',
    no_speech:
      'Es ist zu wenig Sprache zu hören. Prüfen Sie das Mikrofon und sprechen Sie langsam und deutlich.',
    too_noisy: 'Der Raum ist zu laut. Gehen Sie an einen ruhigeren Ort.',
  },
}
