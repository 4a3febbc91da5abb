import type { FlowState } from '../flow-state.ts'
import type { WidgetFrame } from '../frame.ts'
import type { ScreenEvent } from '../screens.ts'
import type { SessionCalls, WidgetStep } from '../session-calls.ts'
import type { Voice } from '../voice.ts'

/** What a screen's work uses. The work ends with `signal`. */
export interface Work {
  readonly state: FlowState
  readonly calls: SessionCalls
  readonly frame: WidgetFrame
  readonly voice: Voice
  /** The address of a script that registers the audio worklet. */
  readonly worklet_script: string
  readonly send: (event: ScreenEvent<WidgetStep>) => void
  readonly signal: AbortSignal
}
