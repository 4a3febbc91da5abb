import { hash } from 'node:crypto'
import { CanonicalError, canonicalJson } from '../../encoding/canonical.ts'

/**
 * What guards put into `metadata.request`. An approval is bound to the metadata, so it covers exactly this request; a
 * person reads it before approving. Long values are shortened for display, and the digests cover them whole.
 */

/** A request to a guarded route. */
export interface BoundHttpRequest {
  readonly method: string
  /** The pattern of the route. */
  readonly route?: string
  /** Path and query, as sent. */
  readonly target: string
  /** Present if `target` is shortened. */
  readonly target_sha256?: string
  /** Absent if the route does not bind bodies. */
  readonly body_sha256?: string
  /** How the body is read: the same bytes can be two different forms. Present with `body_sha256`, if sent. */
  readonly content_type?: string
  readonly content_encoding?: string
  /** What the author of the route says about the request. */
  readonly summary?: unknown
}

/** A call of a tool. */
export interface BoundToolCall {
  readonly tool: string
  readonly arguments?: unknown
  /** Of the canonical JSON of all arguments. */
  readonly arguments_sha256?: string
}

/** A value that is too long to show. Not a string, so that a limit on a string never accepts part of one. */
export interface ShortenedValue {
  readonly truncated: string
  /** The number of characters of the whole value. */
  readonly length: number
}

const MAX_TARGET_LENGTH = 1_000
const MAX_HEADER_LENGTH = 200
const MAX_SUMMARY_LENGTH = 500
const MAX_SUMMARY_BYTES = 1_000
const MAX_ARGUMENTS_BYTES = 2_000
/** Longer strings are shortened if the whole value is too long. */
const MAX_STRING_LENGTH = 200
const SHOWN_STRING_LENGTH = 100
const SHOWN_VALUE_LENGTH = 400

export function boundHttpRequest({
  method,
  route,
  target,
  body_sha256,
  content_type,
  content_encoding,
  summary,
}: {
  readonly method: string
  readonly route: string | undefined
  readonly target: string
  readonly body_sha256: string | undefined
  readonly content_type: string | undefined
  readonly content_encoding: string | undefined
  readonly summary: unknown
}): BoundHttpRequest {
  const isLong = target.length > MAX_TARGET_LENGTH
  return {
    method,
    ...(route !== undefined && { route: shownText(route, MAX_SUMMARY_LENGTH) }),
    target: shownText(target, MAX_TARGET_LENGTH),
    ...(isLong && { target_sha256: sha256Of(target) }),
    ...(body_sha256 !== undefined && {
      body_sha256,
      ...(content_type !== undefined && { content_type: wholeHeader(content_type) }),
      ...(content_encoding !== undefined && { content_encoding: wholeHeader(content_encoding) }),
    }),
    ...(summary !== undefined && { summary: shownSummary(summary) }),
  }
}

/** Throws a `CanonicalError` if the arguments have no JSON form, because then nothing can bind them. */
export function boundToolCall(tool: string, given: unknown, isShown: boolean): BoundToolCall {
  if (given === undefined) return { tool }
  const text = canonicalJson(given)
  checkPlainData(given)
  return {
    tool,
    ...(isShown && { arguments: shownJson(JSON.parse(text), MAX_ARGUMENTS_BYTES) }),
    arguments_sha256: sha256Of(text),
  }
}

/** A longer value is replaced by its digest, so that two values are never shown and bound alike. */
function wholeHeader(value: string): string {
  return value.length > MAX_HEADER_LENGTH ? `sha256:${sha256Of(value)}` : value
}

function shownSummary(summary: unknown): unknown {
  return typeof summary === 'string'
    ? shownText(summary, MAX_SUMMARY_LENGTH)
    : shownJson(summary, MAX_SUMMARY_BYTES)
}

/** At most `max_length` characters. A mark says how many are missing. */
function shownText(text: string, max_length: number): string {
  const length = characterCount(text)
  if (length <= max_length) return text
  return `${firstCharacters(text, max_length)}… (${length - max_length} more characters)`
}

/** The value if its JSON has at most `max_bytes`; otherwise first its long strings are shortened, then all of it. */
function shownJson(value: unknown, max_bytes: number): unknown {
  const text = canonicalJson(value)
  if (Buffer.byteLength(text) <= max_bytes) return value
  const shortened = withShortStrings(value)
  if (Buffer.byteLength(canonicalJson(shortened)) <= max_bytes) return shortened
  return shortenedValue(text, SHOWN_VALUE_LENGTH)
}

function withShortStrings(value: unknown): unknown {
  if (typeof value === 'string')
    return characterCount(value) > MAX_STRING_LENGTH ? shortenedValue(value, SHOWN_STRING_LENGTH) : value
  if (Array.isArray(value)) return value.map(withShortStrings)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, withShortStrings(member)]))
}

function shortenedValue(text: string, shown_length: number): ShortenedValue {
  return { truncated: firstCharacters(text, shown_length), length: characterCount(text) }
}

/** The number of code points. */
function characterCount(text: string): number {
  let count = 0
  for (const _ of text) count += 1
  return count
}

function firstCharacters(text: string, count: number): string {
  return [...text.slice(0, count * 2)].slice(0, count).join('')
}

/** JSON would show a map, a set or an object with hidden state as an empty object. */
function checkPlainData(value: unknown): void {
  if (typeof value !== 'object' || value === null || 'toJSON' in value) return
  const prototype: unknown = Object.getPrototypeOf(value)
  if (!Array.isArray(value) && prototype !== null && prototype !== Object.prototype)
    throw new CanonicalError(`A ${value.constructor?.name ?? 'value'} has no JSON form.`)
  for (const member of Object.values(value)) checkPlainData(member)
}

function sha256Of(text: string): string {
  return hash('sha256', text, 'hex')
}
