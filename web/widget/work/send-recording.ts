import { until } from '../../capture/until.ts'
import type { SendingTrouble } from '../screens.ts'
import { type AnsweredUpload, CallRefused, Unreachable, type WidgetStep } from '../session-calls.ts'
import type { Work } from './work.ts'

const SLOW_AFTER_MS = 2500
const GIVE_UP_AFTER_MS = 60_000
const SEND_AGAIN_MS = 1500
const LONGEST_WAIT_S = 10

/** The same recording may be sent again and again: the service judges it once. */
export async function sendRecording(step: WidgetStep, work: Work): Promise<void> {
  const { state, send } = work
  const give_up_at = performance.now() + GIVE_UP_AFTER_MS
  const slow = setTimeout(() => {
    state.has_slow_line = true
    send({ type: 'sending_trouble', trouble: 'slow' })
  }, SLOW_AFTER_MS)
  try {
    let answer: AnsweredUpload | undefined
    while (answer === undefined) answer = await tryToSend(step, work, performance.now() > give_up_at)
    onAnswer(answer, work)
  } finally {
    clearTimeout(slow)
  }
}

/** Undefined: try again. */
async function tryToSend(step: WidgetStep, work: Work, isLast: boolean): Promise<AnsweredUpload | undefined> {
  const { state, calls, frame, send, signal } = work
  const { opened, recording, media, steps_done } = state
  if (opened === undefined || recording === undefined) throw new Error('nothing was recorded')
  const device = { video_label: media?.devices.video_label ?? '' }
  const onShare = (share: number) => frame.share((steps_done + share) / opened.steps_total)
  try {
    return await calls.answer(opened, step, { ...recording, device }, { signal, onShare })
  } catch (error) {
    const trouble = troubleOf(error)
    if (trouble === undefined || isLast) throw error
    send({ type: 'sending_trouble', trouble })
    await until(performance.now() + waitMs(error), signal)
    return undefined
  }
}

function onAnswer({ reasons, step, steps_done }: AnsweredUpload, { state, send }: Work): void {
  state.steps_done = steps_done
  state.recording = undefined
  if (step === undefined)
    send({ type: 'answered', passkey_required: state.opened?.passkey_required === true })
  else send({ type: 'revealed', step, reasons: reasons.map(({ detail }) => detail) })
}

function troubleOf(error: unknown): SendingTrouble | undefined {
  if (error instanceof Unreachable) return 'offline'
  const isBusy = error instanceof CallRefused && ['engine_busy', 'rate_limited'].includes(error.code)
  return isBusy ? 'busy' : undefined
}

function waitMs(error: unknown): number {
  const wanted_s = error instanceof CallRefused ? error.retry_after_s : undefined
  return wanted_s === undefined ? SEND_AGAIN_MS : Math.min(LONGEST_WAIT_S, wanted_s) * 1000
}
