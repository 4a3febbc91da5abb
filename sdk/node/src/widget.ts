/**
 * The element `<deputy-verify>`. Importing this file defines it in a browser and does nothing anywhere else, so a page that
 * is rendered on a server can import it too.
 *
 * @module
 */
import '../../../web/dist/widget.js'

/** The screen that the element shows. */
export type DeputyVerifyScreen =
  | 'loading'
  | 'consent'
  | 'devices'
  | 'framing'
  | 'opening'
  | 'provider'
  | 'prepare'
  | 'recording'
  | 'sending'
  | 'passkey'
  | 'finishing'
  | 'done'
  | 'retry'
  | 'failed'
  | 'cancelled'

/** `event.detail` of `progress`: the element shows another screen. */
export interface DeputyVerifyProgress {
  readonly session_id: string
  readonly screen: DeputyVerifyScreen
  readonly steps_done: number
  /** 0 before the session is open. */
  readonly steps_total: number
}

/** `event.detail` of `verified`. `token` is present if the session asked for one. */
export interface DeputyVerified {
  readonly session_id: string
  readonly verification_id: string
  readonly human_ref: string
  readonly assurance_level?: string
  readonly token?: { readonly jti: string; readonly compact_jwt: string; readonly claims: object }
}

/** Why a session ended without a verified person. */
export type DeputyVerifyFailure =
  | 'expired'
  | 'used'
  | 'taken'
  | 'cancelled'
  | 'unknown'
  | 'locked'
  | 'not_enrolled'
  | 'review'
  | 'failed'
  | 'blocked'
  | 'other'

/** `event.detail` of `failed`. The person has read the reasons. Show them as text, never as HTML. */
export interface DeputyVerifyFailed {
  readonly session_id: string
  readonly code: DeputyVerifyFailure
  readonly reasons: readonly string[]
}

/** `event.detail` of `cancelled`: the person chose to stop. */
export interface DeputyVerifyCancelled {
  readonly session_id: string
}

/** The events of the element. All of them bubble, even out of a shadow root. */
export interface DeputyVerifyEvents {
  progress: CustomEvent<DeputyVerifyProgress>
  verified: CustomEvent<DeputyVerified>
  failed: CustomEvent<DeputyVerifyFailed>
  cancelled: CustomEvent<DeputyVerifyCancelled>
}

/** The attributes of the element, for frameworks that check them. */
export interface DeputyVerifyAttributes {
  /** ID of a session that `createHostedSession` prepared. */
  session?: string
  /** The client token of the session. */
  token?: string
  /** Instead of `token`, on a device that continues the session: the code of `transferHostedSession`. */
  'transfer-code'?: string
  /** Address of the service. Default: the one that the script was loaded from. */
  'base-url'?: string
  /** Language, such as `de`. Default: the page's, then the browser's. */
  locale?: string
  /** Default: the device's color scheme. */
  theme?: 'auto' | 'light' | 'dark'
}

// Without browser types, as on a server, an element is any object.
type PageElement = typeof globalThis extends { HTMLElement: { prototype: infer Element } } ? Element : object

/**
 * The element, with typed events. Its own overloads come first, so that they take precedence over those of any element.
 */
export type DeputyVerifyElement = {
  session: string
  token: string
  locale: string
  theme: string
  addEventListener<Type extends keyof DeputyVerifyEvents>(
    type: Type,
    listener: (event: DeputyVerifyEvents[Type]) => void,
    options?: { readonly once?: boolean; readonly signal?: AbortSignal },
  ): void
} & PageElement

declare global {
  interface HTMLElementTagNameMap {
    'deputy-verify': DeputyVerifyElement
  }
}
