import type { FlowState } from '../flow-state.ts'
import { consentView } from './consent-view.ts'
import type { ViewActions } from './controls.ts'
import { devicesView, framingView } from './devices-view.ts'
import {
  cancelledView,
  doneView,
  failedView,
  passkeyScreenView,
  providerView,
  retryView,
  waitingView,
} from './end-views.ts'
import { stepView } from './step-view.ts'

/** The elements of the screen, below the camera picture. */
export function viewOf(state: FlowState, actions: ViewActions): HTMLElement[] {
  const { screen, language } = state
  switch (screen.name) {
    case 'consent':
      return consentView(state, actions)
    case 'devices':
      return devicesView(screen.problem, state, actions)
    case 'framing':
      return framingView(state, actions)
    case 'prepare':
    case 'recording':
      return stepView(screen.step, screen.reasons, state)
    case 'sending':
      return stepView(screen.step, [], state)
    case 'provider':
      return providerView(state)
    case 'passkey':
      return passkeyScreenView(screen.problem, state, actions)
    case 'done':
      return doneView(state)
    case 'retry':
      return retryView(screen, state, actions)
    case 'failed':
      return failedView(screen, state)
    case 'cancelled':
      return cancelledView(state)
    default:
      return waitingView(language.texts[screen.name])
  }
}
