import type { Accommodation, Decision, QualityReason, Step } from '@deputize/biometrics'
import { CAPTURE_REASONS, type CaptureReason } from '../../biometrics/src/judge/reasons.ts'
import { aDevice } from '../a-device.ts'
import type { Answer, TestApp } from '../a-test-app.ts'
import type { Performance, Puppet } from './a-puppet.ts'
import { puppetRecording, type ShownStep, taskOf } from './puppet-engine.ts'
import { type Cause, leftOut, type Species } from './species.ts'
import { PUPPET_SAMPLE_RATE } from './voice.ts'

/** Captures of puppets by the service: through its API, or in a browser. Opening, judging and reading are shared. */

const SESSIONS = '/v1/vat/auth/sessions'
/** The token that a verified puppet requests. */
export const TOKEN_REQUEST = { agent_id: 'calendar-bot', resources: ['calendar:events'], actions: ['read'] }
/** Failed captures lock a person for hours, but never for longer than this. */
const UNLOCKED_MS = 86_400_000
const REACTION_MS = 400

/** The puppet in front of the camera, and what it does instead of acting honestly. */
export interface CaptureActor {
  readonly puppet: Puppet
  readonly how?: ((step: Step) => Performance | undefined) | undefined
}

/** What a capture is for. */
export interface WantedCapture {
  readonly purpose: 'enroll' | 'verify'
  readonly human_ref?: string
  readonly developer_email?: string
  readonly accommodations?: readonly Accommodation[]
  /** The token that a verified puppet requests. */
  readonly request?: object
}

/** The end of a capture: the answer of the service, or why it wanted a step repeated. */
export type CaptureEnd =
  | { readonly asked_again: readonly QualityReason[] }
  // biome-ignore lint/suspicious/noExplicitAny: the shape of answers is what tests assert
  | { readonly body: any }

/** Opens a session, answers its steps and finishes it. Ends early if a step must be repeated. */
export type CaptureWay = (wanted: WantedCapture, actor: CaptureActor) => Promise<CaptureEnd>

/** The outcome of a capture, and why. */
export interface ServiceOutcome {
  readonly decision: Decision
  readonly causes: readonly Cause[]
  // biome-ignore lint/suspicious/noExplicitAny: the shape of answers is what tests assert
  readonly body?: any
}

/** Enrolls and verifies puppets with `capture`. */
export function serviceCaptures({ clock }: Pick<TestApp, 'clock'>, capture: CaptureWay) {
  const verify = async (
    human_ref: string,
    actor: CaptureActor,
    accommodations: readonly Accommodation[] = [],
  ): Promise<ServiceOutcome> => {
    clock.advance(UNLOCKED_MS)
    const wanted = { purpose: 'verify', human_ref, accommodations, request: TOKEN_REQUEST } as const
    return serviceOutcome(await capture(wanted, actor))
  }
  return {
    async enroll(actor: CaptureActor, accommodations: readonly Accommodation[] = []): Promise<string> {
      const end = await capture({ purpose: 'enroll', accommodations }, actor)
      if (!('body' in end) || end.body.enrolled !== true) throw new Error(JSON.stringify(end))
      return end.body.human_ref
    },
    verify,
    /** Attacks a person, in a capture without the steps that don't matter for the attack. */
    attack: (human_ref: string, puppet: Puppet, species: Species) =>
      verify(human_ref, { puppet, how: species.how }, leftOut(species)),
  }
}

/** The outcome of a capture with this end. */
export function serviceOutcome(end: CaptureEnd): ServiceOutcome {
  if ('asked_again' in end) return { decision: 'retry', causes: end.asked_again }
  const { decision, modalities } = end.body
  const said = modalities.flatMap(({ reasons }: { reasons: readonly string[] }) => reasons)
  return {
    decision,
    causes: REASON_NAMES.filter((name) => said.includes(CAPTURE_REASONS[name])),
    body: end.body,
  }
}

const REASON_NAMES = Object.keys(CAPTURE_REASONS) as CaptureReason[] // the keys of a constant table

/** Long enough for a person to see a step, act and send the recording. */
export function afterStep({ clock }: Pick<TestApp, 'clock'>, { duration_ms }: ShownStep): void {
  clock.advance(duration_ms + REACTION_MS)
}

/** An opened session, as the service returns it. */
interface BegunCapture {
  readonly session_id: string
  readonly nonce: string
  readonly step: ShownStep
  readonly passkey_required: boolean
}

/** Sends the puppet's recordings directly, and signs with a passkey of one device. */
export function throughApi(app: Pick<TestApp, 'post' | 'clock'>, origin: string): CaptureWay {
  const device = aDevice(origin)
  const confirmed = async ({ session_id, nonce, passkey_required }: BegunCapture, request: object) => {
    if (!passkey_required) return {}
    const begun = await app.post(`${SESSIONS}/${session_id}/passkey`, { nonce, ...request })
    const { ceremony, options } = expected(begun, 200)
    return ceremony === 'create'
      ? { passkey_registration: device.create(options) }
      : { passkey: device.get(options) }
  }
  return async ({ request = {}, ...opening }, { puppet, how }) => {
    const opened = await app.post(SESSIONS, { consent: { version: '1' }, ...opening })
    const session: BegunCapture = expected(opened, 201)
    const { session_id, nonce } = session
    for (let step: ShownStep | undefined = session.step; step !== undefined; ) {
      const recording = await puppetRecording(puppet, step, how?.(taskOf(step)))
      // Delayed sound ends later than the step, and the service checks the clock.
      afterStep(app, { ...step, duration_ms: Math.max(step.duration_ms, soundMs(recording.audio)) })
      const answered = await app.post(`${SESSIONS}/${session_id}/steps`, { nonce, ...recording })
      const { reasons, step: next } = expected(answered, 200)
      if (reasons.length > 0) return { asked_again: codesOf(reasons) }
      step = next
    }
    const path = opening.purpose === 'enroll' ? '/v1/vat/auth/enroll' : '/v1/vat/auth/capture'
    const passkey = await confirmed(session, request)
    return { body: expected(await app.post(path, { session_id, nonce, ...passkey, ...request }), 200, 201) }
  }
}

function soundMs(audio: { readonly pcm16: string } | undefined): number {
  return audio === undefined ? 0 : (Buffer.byteLength(audio.pcm16, 'base64') / 2 / PUPPET_SAMPLE_RATE) * 1000
}

export function codesOf(reasons: readonly { readonly code: QualityReason }[]): QualityReason[] {
  return reasons.map(({ code }) => code)
}

function expected({ status, body }: Answer, ...statuses: readonly number[]) {
  if (!statuses.includes(status)) throw new Error(`${status} ${JSON.stringify(body)}`)
  return body
}

/** The outcome of a capture and its measures, in one line. */
export function serviceLine({ decision, causes, body }: ServiceOutcome): string {
  const modalities: readonly { measures?: object }[] = body?.modalities ?? []
  const measures = Object.assign({}, ...modalities.map((modality) => modality.measures))
  return `${decision} ${causes.join(', ')} ${JSON.stringify(measures)}`
}
