import { recordStep } from '../../capture/record-step.ts'
import { showColors } from '../../capture/show-colors.ts'
import { until } from '../../capture/until.ts'
import { foreign } from '../dom.ts'
import type { FlowState } from '../flow-state.ts'
import type { WidgetStep } from '../session-calls.ts'
import type { Work } from './work.ts'

/** How long a person sees what to do before the recording starts. The service allows six seconds for this and the upload. */
const ANNOUNCE_MS = { first: 2200, flash: 2600, aloud: 2600, other: 1400 }
const COUNT_MS = 700
const TONE_BEFORE_MS = 200
const SMALLER_QUALITY = 0.55

/** Announces a step and counts down to its recording, so that the person can read it first. */
export async function announceStep(step: WidgetStep, work: Work): Promise<void> {
  const { state, frame, voice, send, signal } = work
  frame.say(foreign(step.prompt))
  if (state.reads_aloud) voice.say(step.prompt, state.language.language)
  const start = performance.now() + announceMs(step, state)
  for (let left = Math.floor((start - performance.now()) / COUNT_MS); left > 0; left--) {
    await until(start - left * COUNT_MS, signal)
    frame.countIn(String(left))
  }
  await until(start - TONE_BEFORE_MS, signal)
  voice.hush()
  if (state.wants_sound) voice.tone('ready')
  await until(start, signal)
  send({ type: 'started' })
}

function announceMs({ kind, index }: WidgetStep, { reads_aloud }: FlowState): number {
  if (kind === 'flash') return ANNOUNCE_MS.flash
  if (reads_aloud) return ANNOUNCE_MS.aloud
  return index === 0 ? ANNOUNCE_MS.first : ANNOUNCE_MS.other
}

export async function captureStep(step: WidgetStep, work: Work): Promise<void> {
  const { state, frame, voice, send, signal } = work
  const { media, opened, has_slow_line } = state
  if (opened?.capture === undefined || media === undefined) throw new Error('nothing is open to record with')
  const jpeg_quality = Math.min(opened.capture.jpeg_quality, has_slow_line ? SMALLER_QUALITY : 1)
  const devices = {
    video: frame.video,
    microphone: media.microphone,
    settings: { ...opened.capture, jpeg_quality },
  }
  const shown_at = performance.now()
  frame.time(step.duration_ms)
  try {
    const show = () => showLight(step, shown_at, work)
    state.recording = await recordStep(devices, step, shown_at, show, signal)
  } finally {
    frame.time(undefined)
  }
  if (state.wants_sound) voice.tone('done')
  send({ type: 'recorded' })
}

async function showLight(step: WidgetStep, shown_at: number, { state, frame, signal }: Work): Promise<void> {
  if (step.colors === undefined || step.colors.length === 0) return
  frame.raiseLight(state.language.texts.step_flash_soon)
  try {
    await showColors(frame.light, step, shown_at, signal)
  } finally {
    frame.lowerLight()
  }
}
