/** The calls that the widget makes. Its only credential is that of its session. */

import type { CameraSettings } from '../capture/camera.ts'
import type { RecordedStep } from '../capture/record-step.ts'
import type { ShownTask } from '../capture/shown-task.ts'
import type { PasskeyCeremony } from './passkey.ts'
import type { AskedToken } from './request-words.ts'

export type WidgetAccommodation = 'no_voice' | 'no_hand' | 'no_flash'

/** A step as the widget shows it. */
export interface WidgetStep extends ShownTask {
  readonly index: number
  readonly movement?: string
  readonly gesture?: string
  readonly digits?: string
}

/** What is known of a session before a device opens it. */
export interface SessionSummary {
  readonly session_id: string
  readonly purpose: 'enroll' | 'verify'
  readonly state: string
  readonly provider: string
  /** What the asker leaves out. */
  readonly accommodations: readonly WidgetAccommodation[]
  readonly asked_by: { readonly tenant_name: string; readonly name?: string; readonly is_person: boolean }
  readonly request?: AskedToken
  /** Everything that the person confirms, in English. */
  readonly sentences: readonly string[]
}

export interface ConsentText {
  readonly version: string
  readonly texts: Readonly<Record<string, string>>
}

/** A session that this device has opened. */
export interface OpenedCapture {
  readonly session_id: string
  readonly nonce: string
  readonly purpose: 'enroll' | 'verify'
  readonly passkey_required: boolean
  readonly steps_total: number
  readonly capture?: CameraSettings & { readonly sample_rate: number; readonly lead_ms: number }
  readonly step?: WidgetStep
  /** The page of an external provider. */
  readonly redirect_url?: string
}

export interface AnsweredUpload {
  readonly reasons: readonly { readonly code: string; readonly detail: string }[]
  readonly step?: WidgetStep
  readonly steps_done: number
  readonly steps_total: number
}

/** The result of a session, as the service returns it. */
export interface WidgetResult {
  readonly verification_id: string
  readonly human_ref: string
  readonly decision: 'pass' | 'retry' | 'fail' | 'review'
  readonly reasons: readonly string[]
  readonly attempts_left: number
  readonly assurance_level?: string
  readonly token?: Readonly<Record<string, unknown>>
}

/** The progress of a session, for the asker. */
export interface SeenSession {
  readonly state: string
  readonly version: string
  readonly can_open: boolean
  /** The status at an external provider. */
  readonly provider_status?: string
}

/** The service refused a call. The message is the service's own. */
export class CallRefused extends Error {
  readonly code: string
  readonly state: string | undefined
  readonly reason: string | undefined
  readonly retry_after_s: number | undefined

  constructor(
    { code, detail, state, reason }: Readonly<Record<string, unknown>>,
    retry_after: string | null,
  ) {
    super(typeof detail === 'string' ? detail : '')
    this.code = typeof code === 'string' ? code : ''
    this.state = typeof state === 'string' ? state : undefined
    this.reason = typeof reason === 'string' ? reason : undefined
    this.retry_after_s = retry_after === null ? undefined : Number(retry_after)
  }
}

/** The service is unreachable, or doesn't allow calls from this origin: browsers don't reveal which. */
export class Unreachable extends Error {}

interface CallOptions {
  readonly signal: AbortSignal
  /** Called with the share of the body that has been sent, 0 to 1. */
  readonly onShare?: (share: number) => void
}

/** Doesn't use fetch, which can't report how much was sent. */
function post<Answer>(address: string, body: unknown, options: CallOptions): Promise<Answer> {
  return send('POST', address, JSON.stringify(body), options)
}

function send<Answer>(
  method: string,
  address: string,
  body: string | null,
  { signal, onShare }: CallOptions,
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    signal.throwIfAborted()
    const request = new XMLHttpRequest()
    request.open(method, address)
    request.responseType = 'json'
    if (body !== null) request.setRequestHeader('content-type', 'application/json')
    if (onShare !== undefined) request.upload.onprogress = ({ loaded, total }) => onShare(loaded / total)
    signal.addEventListener('abort', () => request.abort(), { once: true })
    request.onabort = () => reject(signal.reason)
    request.onerror = () => reject(new Unreachable())
    request.onload = () => {
      const { status, response } = request
      if (response === null || typeof response !== 'object') return reject(new Unreachable())
      if (status >= 200 && status < 300) return resolve(response)
      reject(new CallRefused(response, request.getResponseHeader('retry-after')))
    }
    request.send(body)
  })
}

/** What opens a session: the asker's token, or the code of a phone that continues. */
export interface SessionKey {
  readonly base_url: string
  readonly session_id: string
  readonly client_token?: string | undefined
  readonly transfer_code?: string | undefined
}

export interface OpenWish {
  /** Lets this device, and no other, open the session again. */
  readonly device_key: string
  /** Undefined if no text was shown. */
  readonly consent_version: string | undefined
  readonly accommodations: readonly WidgetAccommodation[]
  readonly language: string
}

/** Languages that the service prompts in. For others it prompts in English. */
const SERVICE_LANGUAGES = ['en', 'de']

/** All calls of one session. */
export function sessionCalls({ base_url, session_id, client_token, transfer_code }: SessionKey) {
  const at = (path: string) => `${base_url}/v1/vat/auth/${path}`
  const ofSession = (path: string) => at(`sessions/${encodeURIComponent(session_id)}/${path}`)
  const key = client_token === undefined ? { transfer_code } : { client_token }
  /** A code is used up once it has opened a session. */
  const ownKey = (opened: OpenedCapture | undefined) =>
    client_token === undefined ? { nonce: opened?.nonce } : { client_token }
  return {
    consent: (options: CallOptions) => send<ConsentText>('GET', at('consent'), null, options),
    session_id,
    describe: (nonce: string | undefined, options: CallOptions) =>
      post<SessionSummary>(ofSession('preview'), nonce === undefined ? key : { nonce }, options),
    open: ({ device_key, consent_version, accommodations, language }: OpenWish, options: CallOptions) =>
      post<OpenedCapture>(
        ofSession('open'),
        {
          ...key,
          device_key,
          ...(consent_version !== undefined && { consent: { version: consent_version } }),
          accommodations,
          ...(SERVICE_LANGUAGES.includes(language) && { locale: language }),
        },
        options,
      ),
    answer: (
      { nonce }: OpenedCapture,
      { step_id }: WidgetStep,
      recording: RecordedStep & { readonly device: object },
      options: CallOptions,
    ) => post<AnsweredUpload>(ofSession('steps'), { nonce, step_id, ...recording }, options),
    passkey: ({ nonce }: OpenedCapture, options: CallOptions) =>
      post<PasskeyCeremony>(ofSession('passkey'), { nonce }, options),
    finish: ({ nonce, purpose }: OpenedCapture, confirmed: object, options: CallOptions) =>
      post<WidgetResult>(
        at(purpose === 'enroll' ? 'enroll' : 'capture'),
        { session_id, nonce, ...confirmed },
        options,
      ),
    /** Without a capture, only the asker can cancel. */
    cancel: (opened: OpenedCapture | undefined, options: CallOptions) =>
      post(ofSession('cancel'), ownKey(opened), options),
    watch: (opened: OpenedCapture | undefined, after: string | undefined, options: CallOptions) =>
      post<SeenSession>(
        ofSession('watch'),
        { ...ownKey(opened), ...(after !== undefined && { after }) },
        options,
      ),
    collect: (options: CallOptions) =>
      post<Pick<WidgetResult, 'token'>>(ofSession('collect'), { client_token }, options),
  }
}

export type SessionCalls = ReturnType<typeof sessionCalls>
