/** The calls of the page around the widget. It holds no credential but the secret of its link. */

/** The pause before another call to a service that is unreachable or too busy. */
export const ASK_AGAIN_MS = 2_000

/** What is known of a session before a device opens it. */
export interface PreviewedSession {
  readonly purpose: 'enroll' | 'verify'
  readonly state: string
  readonly provider: string
  readonly asked_by: {
    readonly tenant_name: string
    readonly name?: string
    readonly is_person: boolean
  }
  readonly sentences: readonly string[]
  readonly return_url?: string
}

export interface WatchedSession {
  readonly state: string
  readonly version: string
  readonly steps_done: number
  readonly steps_total: number
  readonly is_moved: boolean
  readonly can_open: boolean
  readonly decision?: string
  readonly reasons: readonly string[]
}

interface ShownCode {
  readonly transfer_code: string
  readonly url: string
  readonly expires_in: number
}

export type PageSecret =
  | { readonly client_token: string }
  | { readonly transfer_code: string }
  | { readonly nonce: string }

/** The service refused a call. */
export class PageRefused extends Error {
  readonly status: number
  readonly code: string
  readonly state: string

  constructor(status: number, { code, state, detail }: Readonly<Record<string, unknown>>) {
    super(typeof detail === 'string' ? detail : '')
    this.status = status
    this.code = typeof code === 'string' ? code : ''
    this.state = typeof state === 'string' ? state : ''
  }
}

export function pageCalls(session_id: string, secret: PageSecret) {
  async function post<Answer>(name: string, more: object = {}): Promise<Answer> {
    const response = await fetch(`/v1/vat/auth/sessions/${encodeURIComponent(session_id)}/${name}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ ...secret, ...more }),
      credentials: 'omit',
    })
    const answer = await response.json()
    if (!response.ok) throw new PageRefused(response.status, answer)
    return answer
  }
  return {
    preview: () => post<PreviewedSession>('preview'),
    transfer: () => post<ShownCode>('transfer'),
    watch: (after?: string) => post<WatchedSession>('watch', after === undefined ? {} : { after }),
    cancel: () => post<{ readonly state: string }>('cancel'),
  }
}

export type PageCalls = ReturnType<typeof pageCalls>
