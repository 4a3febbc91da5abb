import type { RecordedStep } from '../capture/record-step.ts'
import type { ChosenLanguage } from './locales/texts.ts'
import type { Media } from './media.ts'
import type { PasskeyCeremony } from './passkey.ts'
import type { WidgetScreen } from './screens.ts'
import type {
  ConsentText,
  OpenedCapture,
  SessionSummary,
  WidgetAccommodation,
  WidgetResult,
  WidgetStep,
} from './session-calls.ts'

/** Everything that this element knows about a session. Screens are made from it, and work changes it. */
export interface FlowState {
  screen: WidgetScreen<WidgetStep>
  language: ChosenLanguage
  /** Whether the result goes to another device. */
  is_elsewhere: boolean
  readonly wants_less_motion: boolean
  readonly accommodations: Set<WidgetAccommodation>
  wants_sound: boolean
  reads_aloud: boolean
  camera_id?: string
  microphone_id?: string

  summary?: SessionSummary
  consent?: ConsentText
  media?: Media | undefined
  opened?: OpenedCapture | undefined
  /** Drawn here, so that a session whose answer was lost opens again, and only here. */
  device_key?: string
  steps_done: number
  recording?: RecordedStep | undefined
  /** After a slow upload, the next recording is made smaller. */
  has_slow_line: boolean
  challenge?: PasskeyCeremony | undefined
  confirmed: object
  /** Whether the browser is asking for the passkey. */
  is_confirming: boolean
  result?: WidgetResult
  attempts_left?: number
}

export function newFlowState(language: ChosenLanguage, is_elsewhere: boolean): FlowState {
  const wants_less_motion = matchMedia('(prefers-reduced-motion: reduce)').matches
  return {
    screen: { name: 'loading' },
    language,
    is_elsewhere,
    wants_less_motion,
    accommodations: new Set(wants_less_motion ? ['no_flash'] : []),
    wants_sound: true,
    reads_aloud: false,
    steps_done: 0,
    has_slow_line: false,
    confirmed: {},
    is_confirming: false,
  }
}

/** Switches camera and microphone off. */
export function releaseMedia(state: FlowState): void {
  state.media?.close()
  state.media = undefined
}

/** Whether an external provider checks the person, not the built-in engine. */
export function isExternal({ summary }: Pick<FlowState, 'summary'>): boolean {
  return summary !== undefined && summary.provider !== 'builtin'
}
