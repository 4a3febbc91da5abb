import type { LineVerb } from './front-line.ts'

/** The data that a front's thread starts with. */
export interface FrontData {
  readonly host: string
  /** 0 lets the system choose. */
  readonly port: number
  /** The requests that are sent as calls. All others are sent as bytes. */
  readonly calls: readonly CallPattern[]
}

export interface CallPattern {
  readonly method: string
  /** Source of a regular expression that matches the whole URL. */
  readonly pattern: string
}

/** A call and the connection that it arrived on. Each byte of the body is one character. */
export type WiredCall = readonly [
  line: number,
  method: string,
  url: string,
  raw_headers: readonly string[],
  body: string,
]

/** The whole answer to a call, and whether the connection ends with it. */
export type WiredAnswer = readonly [line: number, text: string, isLast: boolean]

/** A string is a JSON array of `WiredCall`, so that the calls of a turn share a message. */
export type FromFront =
  | string
  | { readonly kind: 'listening'; readonly address: string; readonly port: number }
  | { readonly kind: 'failed'; readonly code: string; readonly message: string }
  | { readonly kind: 'opened'; readonly line: number; readonly address: string }
  /** The end of the request whose bytes follow is uncertain, so everything after it is sent as bytes. */
  | { readonly kind: 'unclear'; readonly line: number }
  | { readonly kind: 'bytes'; readonly line: number; readonly chunk: Uint8Array }
  /** There is room for another chunk. */
  | { readonly kind: 'written'; readonly line: number }
  /** The client sends no more. */
  | { readonly kind: 'ended'; readonly line: number }
  | { readonly kind: 'closed'; readonly line: number }
  | { readonly kind: 'stopped' }

/** A string is a JSON array of `WiredAnswer`. */
export type ToFront =
  | string
  | { readonly kind: 'write'; readonly line: number; readonly chunk: Uint8Array }
  | { readonly kind: 'tell'; readonly line: number; readonly verb: LineVerb }
  /** Accepts no more connections. */
  | { readonly kind: 'stop' }
  /** Closes idle connections, and all others after their next answer. */
  | { readonly kind: 'leave' }
