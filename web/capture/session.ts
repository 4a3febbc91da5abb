import type { CameraSettings } from './camera.ts'

/** The members of answers that a capture reads. */
export interface ShownTask {
  readonly step_id: string
  readonly kind: 'neutral' | 'move' | 'flash' | 'speak' | 'gesture'
  readonly prompt: string
  readonly duration_ms: number
  readonly colors?: readonly ('red' | 'green' | 'blue' | 'black')[]
  readonly slot_ms?: number
}

/** A session as POST /v1/vat/auth/sessions returns it. */
export interface BegunSession {
  readonly session_id: string
  readonly nonce: string
  readonly purpose: 'enroll' | 'verify'
  readonly capture: CameraSettings & { readonly sample_rate: number; readonly lead_ms: number }
  readonly step: ShownTask
  readonly passkey_required: boolean
}

/** The service refused a call. The message is the service's own. */
export class CaptureRefused extends Error {
  readonly code: string

  constructor({ code, detail }: Readonly<Record<string, string>>) {
    super(detail ?? 'The service refused this.')
    this.code = code ?? ''
  }
}

/** One call of the session. The nonce is its credential. */
export async function callSession<Answer>(path: string, body: unknown): Promise<Answer> {
  const response = await fetch(path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  const answer = await response.json()
  if (!response.ok) throw new CaptureRefused(answer)
  return answer
}

export async function base64(bytes: Blob | Uint8Array<ArrayBuffer>): Promise<string> {
  const reader = new FileReader()
  const read = new Promise<string>((resolve, reject) => {
    reader.onload = () => resolve(String(reader.result))
    reader.onerror = () => reject(new Error('The recording could not be read.'))
  })
  reader.readAsDataURL(bytes instanceof Blob ? bytes : new Blob([bytes]))
  const url = await read
  return url.slice(url.indexOf(',') + 1)
}
