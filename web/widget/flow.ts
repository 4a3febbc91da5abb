/** Runs a session from screen to screen, does the work of each, and reports the end to the element. */

import { DeviceUnavailable } from './devices.ts'
import { type FlowState, isExternal, newFlowState, releaseMedia } from './flow-state.ts'
import type { WidgetFrame } from './frame.ts'
import type { ChosenLanguage } from './locales/texts.ts'
import { consequenceOf } from './problems.ts'
import { isEnd, needsCamera, nextScreen, type ScreenEvent, type WidgetScreen } from './screens.ts'
import { CallRefused, type SessionCalls, Unreachable, type WidgetStep } from './session-calls.ts'
import { showScreen } from './show-screen.ts'
import type { ViewActions } from './views/controls.ts'
import { Voice } from './voice.ts'
import { usePasskey } from './work/finish-session.ts'
import { workOf } from './work/work-of.ts'

export interface FlowOptions {
  readonly calls: SessionCalls
  readonly frame: WidgetFrame
  readonly language: ChosenLanguage
  readonly worklet_script: string
  readonly is_elsewhere: boolean
  /** Called after each change of the screen. */
  readonly onScreen: (state: Readonly<FlowState>) => void
}

export class WidgetFlow {
  readonly #options: FlowOptions
  readonly #state: FlowState
  readonly #voice = new Voice()
  readonly #whole = new AbortController()
  #entered = new AbortController()
  #drawn = ''
  /** Until the person does something, the page keeps the focus. */
  #hasActed = false

  constructor(options: FlowOptions) {
    this.#options = options
    this.#state = newFlowState(options.language, options.is_elsewhere)
    const { signal } = this.#whole
    options.frame.cancel.addEventListener('click', () => this.#act({ type: 'cancel' }), { signal })
    document.addEventListener('visibilitychange', () => this.#onVisibility(), { signal })
    // A page may return from the browser's cache after the person leaves it, and must not keep the camera until then.
    addEventListener('pagehide', () => this.#onLeave(), { signal })
    addEventListener('pageshow', ({ persisted }) => persisted && this.#onReturn(), { signal })
    this.#show()
    void this.#enter()
  }

  set language(language: ChosenLanguage) {
    this.#state.language = language
    this.#show()
  }

  /** Ends everything at once and releases the devices. */
  close(): void {
    this.#whole.abort()
    this.#entered.abort()
    releaseMedia(this.#state)
    this.#voice.close()
    this.#options.frame.lowerLight()
  }

  #act(event: ScreenEvent<WidgetStep>): void {
    this.#hasActed = true
    this.#send(event)
  }

  #send(event: ScreenEvent<WidgetStep>): void {
    if (this.#whole.signal.aborted) return
    const before = this.#state.screen
    const next = nextScreen(before, event)
    if (next !== before) this.#goTo(next)
  }

  #goTo(screen: WidgetScreen<WidgetStep>): void {
    const isSamePlace = placeOf(screen) === placeOf(this.#state.screen)
    this.#state.screen = screen
    this.#show()
    if (isSamePlace) return
    void this.#enter()
    this.#options.onScreen(this.#state)
  }

  /** Starts the work of the screen, and ends that of the previous screen. */
  async #enter(): Promise<void> {
    this.#entered.abort()
    this.#entered = new AbortController()
    const { signal } = this.#entered
    const { name } = this.#state.screen
    if (!needsCamera({ name }) && name !== 'devices') releaseMedia(this.#state)
    const work = { ...this.#options, state: this.#state, voice: this.#voice, signal }
    try {
      await workOf({ ...work, send: (event) => this.#send(event) })
      if (name === 'passkey') this.#show()
    } catch (error) {
      if (!signal.aborted) this.#onTrouble(error)
    }
  }

  #onTrouble(error: unknown): void {
    if (error instanceof DeviceUnavailable) this.#send({ type: 'devices_failed', problem: error.problem })
    else if (error instanceof Unreachable) this.#onUnreachable()
    else if (error instanceof CallRefused) this.#onRefused(error)
    else this.#send({ type: 'failed', code: 'other' })
  }

  #onRefused(error: CallRefused): void {
    if (error.code === 'answer_late') this.#state.has_slow_line = true
    const consequence = consequenceOf(error, isCapturing(this.#state.screen))
    const isUnknown = consequence.type === 'failed' && consequence.code === 'other'
    this.#send({ ...consequence, reasons: isUnknown && error.message !== '' ? [error.message] : [] })
  }

  #onUnreachable(): void {
    const isFirstCall = this.#state.summary === undefined
    if (isFirstCall && navigator.onLine) this.#send({ type: 'failed', code: 'blocked' })
    else this.#send({ type: 'interrupted', why: 'offline' })
  }

  #onVisibility(): void {
    const { name } = this.#state.screen
    const isRecording = name === 'prepare' || name === 'recording'
    if (isRecording && document.visibilityState === 'hidden')
      this.#send({ type: 'interrupted', why: 'hidden' })
  }

  #onLeave(): void {
    const { name } = this.#state.screen
    if (needsCamera({ name }) || name === 'devices') this.#send({ type: 'interrupted', why: 'interrupted' })
    // Calls end with the page, which isn't a failure of the service.
    if (!isEnd(this.#state.screen)) this.#entered.abort()
    this.#voice.hush()
    this.#options.frame.lowerLight()
    releaseMedia(this.#state)
  }

  /** The page returns in its old state. Calls that it waited for are made again; a recording waits for the person. */
  #onReturn(): void {
    if (!isEnd(this.#state.screen)) void this.#enter()
  }

  #show(): void {
    const { frame } = this.#options
    const before = this.#drawn
    this.#drawn = showScreen(this.#state, frame, this.#actions(), before)
    if (this.#hasActed && this.#drawn !== before) frame.focusHeading()
  }

  #actions(): ViewActions {
    const state = this.#state
    const send = (event: ScreenEvent<WidgetStep>) => this.#send(event)
    return {
      accept: () => this.#act({ type: isExternal(state) ? 'accepted_external' : 'accepted' }),
      start: () => this.#act({ type: 'start' }),
      again: () => this.#act({ type: 'again', from: restartOf(state) }),
      usePasskey: () => void usePasskey({ state, send }),
      // With another device, the picture starts again.
      chooseDevice: () => this.#act({ type: 'choose_device' }),
    }
  }
}

/** Whether a capture can end on this screen, and another begin. A session that expires before it is opened is over. */
function isCapturing({ name }: Pick<WidgetScreen, 'name'>): boolean {
  return name === 'passkey' || (needsCamera({ name }) && name !== 'opening')
}

/** With an external provider there is no camera screen to return to. */
function restartOf(state: FlowState): 'loading' | 'devices' | 'opening' {
  if (state.summary === undefined) return 'loading'
  return isExternal(state) ? 'opening' : 'devices'
}

/** The place of a screen. Entering another place starts its work. */
function placeOf(screen: WidgetScreen<WidgetStep>): string {
  const step = 'step' in screen ? screen.step.step_id : ''
  const problem = screen.name === 'devices' ? (screen.problem ?? '') : ''
  return `${screen.name} ${step} ${problem}`
}
