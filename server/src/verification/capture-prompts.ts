import type { Step } from '@deputize/biometrics'

type MoveStep = Extract<Step, { kind: 'move' }>
type GestureStep = Extract<Step, { kind: 'gesture' }>

/** The instructions for a person. A new language is a new entry: the compiler reports every text that it lacks. */
interface PromptTable {
  readonly neutral: string
  readonly move: Readonly<Record<MoveStep['movement'], string>>
  readonly flash: string
  /** The digits follow. */
  readonly speak: string
  readonly gesture: Readonly<Record<GestureStep['gesture'], string>>
}

const PROMPTS = {
  en: {
    neutral: 'Look straight into the camera.',
    move: {
      turn_left: 'Turn your head to your left, then back.',
      turn_right: 'Turn your head to your right, then back.',
      look_up: 'Look up, then back.',
      look_down: 'Look down, then back.',
      open_mouth: 'Open your mouth wide, then close it.',
      blink: 'Blink twice, slowly.',
      move_closer: 'Move closer to the camera, then back.',
    },
    flash: 'Hold still and look at the screen. It will change color.',
    speak: 'Say these digits, one after the other:',
    gesture: {
      thumbs_up: 'Show a thumbs up next to your face.',
      victory: 'Show two fingers, as a V, next to your face.',
      open_palm: 'Show your open hand next to your face.',
      point_up: 'Point up with one finger next to your face.',
    },
  },
  // Formal address (Sie), as in the consent and in the widget.
  de: {
    neutral: 'Schauen Sie gerade in die Kamera.',
    move: {
      turn_left: 'Drehen Sie den Kopf nach links und wieder zurück.',
      turn_right: 'Drehen Sie den Kopf nach rechts und wieder zurück.',
      look_up: 'Schauen Sie nach oben und wieder zurück.',
      look_down: 'Schauen Sie nach unten und wieder zurück.',
      open_mouth: 'Öffnen Sie den Mund weit und schließen Sie ihn wieder.',
      blink: 'Blinzeln Sie zweimal, langsam.',
      move_closer: 'Kommen Sie näher an die Kamera und gehen Sie wieder zurück.',
    },
    flash: 'Halten Sie still und schauen Sie auf den Bildschirm. Er wechselt die Farbe.',
    speak: 'Sprechen Sie diese Ziffern auf Englisch, eine nach der anderen:',
    gesture: {
      thumbs_up: 'Zeigen Sie neben dem Gesicht einen Daumen nach oben.',
      victory: 'Zeigen Sie neben dem Gesicht zwei Finger als V.',
      open_palm: 'Zeigen Sie neben dem Gesicht die offene Hand.',
      point_up: 'Zeigen Sie neben dem Gesicht mit einem Finger nach oben.',
    },
  },
} as const satisfies Record<string, PromptTable>

export type CaptureLocale = keyof typeof PROMPTS

/** Returns the instruction for a step, in the person's language. */
export function capturePrompt(step: Step, locale: CaptureLocale): string {
  const table: PromptTable = PROMPTS[locale]
  switch (step.kind) {
    case 'move':
      return table.move[step.movement]
    case 'speak':
      return `${table.speak} ${[...step.digits].join(' ')}`
    case 'gesture':
      return table.gesture[step.gesture]
    default:
      return table[step.kind]
  }
}
