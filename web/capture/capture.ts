/** Records a person for a verification session and sends each step. Judges nothing: the service does that. */

import { startAuthentication, startRegistration } from '@simplewebauthn/browser'
import { type Microphone, openMicrophone } from './microphone.ts'
import { registerPcmWorklet } from './pcm-worklet.ts'
import { type RecordedStep, recordStep } from './record-step.ts'
import { type BegunSession, callSession, type ShownTask } from './session.ts'
import { type CaptureScreen, showStep } from './show-step.ts'
import { until } from './until.ts'

registerPcmWorklet()

export interface CaptureOptions {
  readonly session: BegunSession
  readonly stage: CaptureScreen & { readonly video: HTMLVideoElement }
  /** What the token shall allow, as POST /v1/vat/auth/capture takes it. Only for `verify`. */
  readonly request?: Readonly<Record<string, unknown>>
  /** Called with each step when it is shown. */
  readonly onStep?: (step: ShownTask) => void
}

/** Why a step must be repeated, or the end. */
interface StepAnswer {
  readonly accepted: boolean
  readonly reasons: readonly { readonly code: string; readonly detail: string }[]
  readonly step?: ShownTask
}

/** Runs a whole session and returns the answer of the service. Camera and microphone are released in any case. */
export async function runCapture(options: CaptureOptions): Promise<unknown> {
  const { session, stage } = options
  const stream = await openDevices(session)
  try {
    stage.video.srcObject = stream
    await stage.video.play()
    const microphone = await openMicrophone(stream, session.capture.sample_rate, import.meta.url)
    try {
      await answerSteps(options, stream, microphone)
    } finally {
      await microphone.close()
    }
  } finally {
    for (const track of stream.getTracks()) track.stop()
    stage.video.srcObject = null
  }
  return finish(options)
}

function openDevices({ capture }: BegunSession): Promise<MediaStream> {
  return navigator.mediaDevices.getUserMedia({
    video: { width: capture.width, height: capture.height, facingMode: 'user' },
    // Filters would change the voice and move the sound against the picture.
    audio: { echoCancellation: false, noiseSuppression: false, autoGainControl: false, channelCount: 1 },
  })
}

async function answerSteps(
  options: CaptureOptions,
  stream: MediaStream,
  microphone: Microphone,
): Promise<void> {
  const { session, stage } = options
  const video_label = stream.getVideoTracks()[0]?.label ?? ''
  const path = `/v1/vat/auth/sessions/${session.session_id}/steps`
  for (let step: ShownTask | undefined = session.step; step !== undefined; ) {
    const media = await recordedStep(options, step, microphone)
    const body = { nonce: session.nonce, step_id: step.step_id, ...media, device: { video_label } }
    const answer: StepAnswer = await callSession(path, body)
    stage.prompt.textContent = answer.reasons.map(({ detail }) => detail).join(' ')
    step = answer.step
  }
}

async function recordedStep(
  { session, stage, onStep }: CaptureOptions,
  step: ShownTask,
  microphone: Microphone,
): Promise<RecordedStep> {
  const shown_at = performance.now() + session.capture.lead_ms
  await until(shown_at)
  onStep?.(step)
  const devices = { video: stage.video, microphone, settings: session.capture }
  return recordStep(devices, step, shown_at, () => showStep(stage, step, shown_at))
}

/** What the passkey call answers. The type of the options depends on the ceremony. */
type PasskeyCeremony =
  | { readonly ceremony: 'create'; readonly options: Parameters<typeof startRegistration>[0]['optionsJSON'] }
  | { readonly ceremony: 'get'; readonly options: Parameters<typeof startAuthentication>[0]['optionsJSON'] }

async function finish({ session, request = {} }: CaptureOptions): Promise<unknown> {
  const { session_id, nonce, purpose } = session
  const passkey = session.passkey_required ? await confirmedByPasskey(session, request) : {}
  const path = purpose === 'enroll' ? '/v1/vat/auth/enroll' : '/v1/vat/auth/capture'
  return callSession(path, { session_id, nonce, ...passkey, ...request })
}

async function confirmedByPasskey({ session_id, nonce }: BegunSession, request: object): Promise<object> {
  const path = `/v1/vat/auth/sessions/${session_id}/passkey`
  const challenge: PasskeyCeremony = await callSession(path, { nonce, ...request })
  return challenge.ceremony === 'create'
    ? { passkey_registration: await startRegistration({ optionsJSON: challenge.options }) }
    : { passkey: await startAuthentication({ optionsJSON: challenge.options }) }
}
