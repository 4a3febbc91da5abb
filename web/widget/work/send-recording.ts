import type { AnsweredUpload, WidgetStep } from '../session-calls.ts'
import { keepTrying } from './keep-trying.ts'
import type { Work } from './work.ts'

const SLOW_AFTER_MS = 2500

/** The same recording may be sent repeatedly: the service judges it only once. */
export async function sendRecording(step: WidgetStep, work: Work): Promise<void> {
  const { state, calls, frame, send, signal } = work
  const { opened, recording, media, steps_done } = state
  if (opened === undefined || recording === undefined) throw new Error('nothing was recorded')
  const device = { video_label: media?.devices.video_label ?? '' }
  const onShare = (share: number) => frame.share((steps_done + share) / opened.steps_total)
  const slow = setTimeout(() => {
    state.has_slow_line = true
    send({ type: 'sending_trouble', trouble: 'slow' })
  }, SLOW_AFTER_MS)
  try {
    const answer = await keepTrying(
      () => calls.answer(opened, step, { ...recording, device }, { signal, onShare }),
      signal,
      (trouble) => send({ type: 'sending_trouble', trouble }),
    )
    onAnswer(answer, work)
  } finally {
    clearTimeout(slow)
  }
}

function onAnswer({ reasons, step, steps_done }: AnsweredUpload, { state, send }: Work): void {
  state.steps_done = steps_done
  state.recording = undefined
  if (step === undefined)
    send({ type: 'answered', passkey_required: state.opened?.passkey_required === true })
  else send({ type: 'revealed', step, reasons: reasons.map(({ detail }) => detail) })
}
