/** Messages between the HTTP thread and the delivery thread. */
import type { EventFormat } from '@deputize/protocol'
import type { DisabledEndpoint } from '../delivery/engine.ts'
import type { EventInterest } from '../interest.ts'
import type { SetClaims } from '../signals/security-event-token.ts'
import type { CredentialWatch } from './credential-watch.ts'

/** What a stream's client wants. */
export interface StreamOrder {
  /** The first index to consider. */
  readonly from: number
  /** The size of the log when the stream was requested. */
  readonly log_size: number
  readonly interest: EventInterest
  /** Determines after which leaves the client's credential must be verified again. */
  readonly watch: CredentialWatch | undefined
  readonly format: EventFormat
  /** The deployment's issuer, which CloudEvents contain. */
  readonly source: string
}

/** Text for a stream. Once it is written, everything below `next` is. */
export interface StreamPiece {
  readonly stream_id: number
  /** Index into the message's texts. Streams that want the same events get the same bytes. */
  readonly text: number
  readonly next: number
}

/** From the HTTP thread. */
export interface ToHost {
  readonly tells: /** The log grew. `busy` is the share of its time that the HTTP thread was busy with callers. */
    | { readonly kind: 'wake'; readonly busy: number }
    | { readonly kind: 'open'; readonly stream_id: number; readonly order: StreamOrder }
    | { readonly kind: 'leave'; readonly stream_id: number }
    /** These streams took what was sent to them. `took_ms` is the time that the HTTP thread spent writing. */
    | { readonly kind: 'taken'; readonly stream_ids: readonly number[]; readonly took_ms: number }
    /** A stream's credential was still valid after that doubt. */
    | { readonly kind: 'valid'; readonly stream_id: number; readonly doubt: number }
    /** Asks for a `passed`. */
    | { readonly kind: 'where'; readonly stream_id: number }
    /** Deliveries may begin. */
    | { readonly kind: 'start' }
  readonly asks: {
    /** Endpoints or their deliveries have changed. */
    readonly changed: { readonly question: undefined; readonly answer: undefined }
    readonly close: { readonly question: undefined; readonly answer: undefined }
  }
}

/** From the delivery thread. */
export interface FromHost {
  readonly tells: /** Ready for another `wake`. */
    | { readonly kind: 'listening' }
    | {
        readonly kind: 'write'
        readonly texts: readonly Uint8Array[]
        readonly pieces: readonly StreamPiece[]
      }
    /** A stream's credential must be verified. Nothing is sent to the stream until it is found valid. */
    | { readonly kind: 'verify'; readonly stream_id: number; readonly doubt: number }
    /** Everything below `next` was sent to the stream or isn't for it. Undefined while something is on its way. */
    | { readonly kind: 'passed'; readonly stream_id: number; readonly next: number | undefined }
    | { readonly kind: 'trouble'; readonly what: string; readonly cause: string }
    /** The store didn't answer. */
    | { readonly kind: 'away'; readonly cause: string }
    | {
        readonly kind: 'refused'
        readonly about: { readonly stream_id: string; readonly event_id: string }
        readonly why: string
      }
  readonly asks: {
    readonly sign: { readonly question: SetClaims; readonly answer: string }
    readonly disabled: { readonly question: DisabledEndpoint; readonly answer: undefined }
  }
}
