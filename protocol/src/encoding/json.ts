/**
 * Reads untrusted JSON. `JSON.parse` alone keeps the last of two members with the same name, turns 1e400 into Infinity,
 * accepts strings that are not Unicode and needs seconds for a million brackets. One scan refuses all of that first, so
 * every reader of the text reads the same value.
 */

export type JsonLimits = {
  /** Maximum nesting of arrays and objects. */
  depth: number
  /** Maximum number of members of one object. */
  members: number
  /** Maximum number of items of one array. */
  items: number
}

export const JSON_LIMITS: Readonly<JsonLimits> = { depth: 16, members: 256, items: 1024 }

export const JSON_REASONS = [
  'not_utf8',
  'bom',
  'syntax',
  'too_deep',
  'too_many_members',
  'too_many_items',
  'duplicate_member',
  'forbidden_member',
  'lone_surrogate',
  'number_out_of_range',
] as const

export type JsonReason = (typeof JSON_REASONS)[number]

/** The text is refused. `detail` names a place or a member, never a value, and is safe to show. */
export class JsonError extends Error {
  readonly reason: JsonReason
  readonly detail: string

  constructor(reason: JsonReason, detail: string) {
    super(detail)
    this.name = 'JsonError'
    this.reason = reason
    this.detail = detail
  }
}

/** The value of `text`, or a JsonError. Objects have no member that could reach a prototype. */
export function readJson(text: string | Uint8Array, limits?: Partial<JsonLimits>): unknown {
  const source = typeof text === 'string' ? text : decodeUtf8(text)
  if (source.charCodeAt(0) === BYTE_ORDER_MARK)
    throw new JsonError('bom', 'The text begins with a byte order mark.')
  if (!source.isWellFormed()) throw new JsonError('lone_surrogate', 'The text contains a lone surrogate.')
  scan(source, limits === undefined ? JSON_LIMITS : { ...JSON_LIMITS, ...limits })
  return parse(source)
}

/** The JSON text of `value`, if `readJson` accepts it. Throws the JsonError of `readJson` otherwise. */
export function readableJson(value: object): string {
  const text = JSON.stringify(value) // valid JSON, so the scan says everything that reading it would
  if (!isReadable(value, 1)) scan(text, JSON_LIMITS)
  return text
}

/** True only if a scan of the text would refuse nothing. Several times faster than the scan. */
function isReadable(value: unknown, depth: number): boolean {
  if (typeof value === 'string') return value.isWellFormed()
  if (typeof value !== 'object' || value === null) return typeof value !== 'function'
  if (depth > JSON_LIMITS.depth || 'toJSON' in value) return false
  if (Array.isArray(value))
    return value.length <= JSON_LIMITS.items && value.every((item) => isReadable(item, depth + 1))
  if (Object.getPrototypeOf(value) !== Object.prototype) return false
  const names = Object.keys(value)
  if (names.length > JSON_LIMITS.members) return false
  for (const name of names)
    if (isForbidden(name) || !name.isWellFormed() || !isReadable(memberOf(value, name), depth + 1))
      return false
  return true
}

function memberOf(value: object, name: string): unknown {
  return (value as Readonly<Record<string, unknown>>)[name] // a member of its own, whatever it holds
}

const BYTE_ORDER_MARK = 0xfeff
const QUOTE = 0x22
const COMMA = 0x2c
const MINUS = 0x2d
const ZERO = 0x30
const NINE = 0x39
const COLON = 0x3a
const OPEN_BRACKET = 0x5b
const BACKSLASH = 0x5c
const CLOSE_BRACKET = 0x5d
const OPEN_BRACE = 0x7b
const CLOSE_BRACE = 0x7d

/** An array or object that the scan is inside of. */
type Container = {
  /** The names seen so far; undefined for an array. */
  names: Set<string> | undefined
  /** Whether the next string is a member name, if this is an object. */
  name_next: boolean
  commas: number
}

/**
 * Refuses text that `JSON.parse` would accept. The scan does not check syntax: on broken text it can end early or late,
 * and the parser that follows refuses the text.
 */
function scan(text: string, limits: Readonly<JsonLimits>): void {
  const containers: Container[] = []
  const has_escapes = text.includes('\\')
  let inner: Container | undefined
  let at = 0
  while (at < text.length) {
    const code = text.charCodeAt(at)
    if (code === QUOTE) {
      at = has_escapes ? scanString(text, at, inner, limits) : scanPlainString(text, at, inner, limits)
    } else if (code === MINUS || (code >= ZERO && code <= NINE)) {
      at = scanNumber(text, at)
    } else {
      at += 1
      if (code === COMMA) countComma(inner, limits, at)
      else if (code === COLON && inner !== undefined) inner.name_next = false
      else if (code === OPEN_BRACE || code === OPEN_BRACKET) {
        inner = opened(code === OPEN_BRACE)
        if (containers.push(inner) > limits.depth)
          throw new JsonError('too_deep', `More than ${limits.depth} levels at position ${at}.`)
      } else if (code === CLOSE_BRACE || code === CLOSE_BRACKET) {
        containers.pop()
        inner = containers[containers.length - 1]
      }
    }
  }
}

function opened(is_object: boolean): Container {
  return { names: is_object ? new Set() : undefined, name_next: true, commas: 0 }
}

function countComma(inner: Container | undefined, limits: Readonly<JsonLimits>, at: number): void {
  if (inner === undefined) return
  inner.commas += 1
  inner.name_next = true
  if (inner.names === undefined && inner.commas >= limits.items)
    throw new JsonError('too_many_items', `More than ${limits.items} items in the array at position ${at}.`)
}

/** Like `scanString`, for a text without backslashes, in which every string ends at the next quote. */
function scanPlainString(
  text: string,
  start: number,
  inner: Container | undefined,
  limits: Readonly<JsonLimits>,
): number {
  const quote = text.indexOf('"', start + 1)
  const end = quote === -1 ? text.length : quote
  if (inner?.names !== undefined && inner.name_next) addName(inner.names, text.slice(start + 1, end), limits)
  return end + 1
}

/** Checks the string that starts at `start`, and returns the position after it. */
function scanString(
  text: string,
  start: number,
  inner: Container | undefined,
  limits: Readonly<JsonLimits>,
): number {
  let at = start + 1
  let escaped = false
  let surrogate = false
  for (let code = text.charCodeAt(at); code !== QUOTE && at < text.length; code = text.charCodeAt(at)) {
    if (code === BACKSLASH) {
      escaped = true
      surrogate ||= isSurrogateEscape(text, at)
      at += 2
    } else at += (at - start) % LONG === 0 ? plainLength(text, at) : 1
  }
  const end = at + 1
  if (surrogate && !parseString(text, start, end).isWellFormed())
    throw new JsonError('lone_surrogate', `Lone surrogate in the string at position ${start}.`)
  if (inner?.names !== undefined && inner.name_next) {
    const name = escaped ? parseString(text, start, end) : text.slice(start + 1, at)
    addName(inner.names, name, limits)
  }
  return end
}

/** Every this many characters, the rest of a string is skipped by searching for its end: an image has a million. */
const LONG = 256

/**
 * Counts the characters from `at` on that are neither a quote nor a backslash; at least 1, because the first is
 * neither.
 */
function plainLength(text: string, at: number): number {
  const quote = text.indexOf('"', at)
  const plain = text.slice(at, quote === -1 ? text.length : quote)
  const backslash = plain.indexOf('\\')
  return backslash === -1 ? plain.length : backslash
}

/** Every escaped surrogate begins with `\ud` or `\uD`; so do some harmless characters. */
function isSurrogateEscape(text: string, at: number): boolean {
  const digit = text.charAt(at + 2)
  return text.charAt(at + 1) === 'u' && (digit === 'd' || digit === 'D')
}

function addName(names: Set<string>, name: string, limits: Readonly<JsonLimits>): void {
  if (isForbidden(name))
    throw new JsonError('forbidden_member', `The member name ${shown(name)} is not allowed.`)
  const before = names.size
  if (names.add(name).size === before)
    throw new JsonError('duplicate_member', `The member ${shown(name)} appears twice.`)
  if (before === limits.members)
    throw new JsonError('too_many_members', `More than ${limits.members} members in one object.`)
}

/** Names through which a careless merge or lookup reaches a prototype. */
function isForbidden(name: string): boolean {
  return name === '__proto__' || name === 'constructor' || name === 'prototype'
}

/** Checks the number that starts at `start`, and returns the position after it. */
function scanNumber(text: string, start: number): number {
  let at = start + 1
  let may_overflow = false
  for (let code = text.charCodeAt(at); isNumberCode(code); code = text.charCodeAt(at)) {
    may_overflow ||= code > NINE
    at += 1
  }
  // The largest double has 309 digits, so a shorter number without an exponent always fits.
  if ((may_overflow || at - start > 308) && Math.abs(Number(text.slice(start, at))) === Infinity)
    throw new JsonError('number_out_of_range', `The number at position ${start} is too large.`)
  return at
}

/** The characters of numbers: digits, `+`, `-`, `.`, `e`, `E`. False for the NaN beyond the end of a text. */
function isNumberCode(code: number): boolean {
  if (code <= NINE) return code >= ZERO || code === 0x2e || code === MINUS || code === 0x2b
  return code === 0x65 || code === 0x45
}

// With `ignoreBOM` the decoder keeps the mark instead of dropping it, so that it can be refused.
const UTF_8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

function decodeUtf8(bytes: Uint8Array): string {
  try {
    return UTF_8.decode(bytes)
  } catch {
    throw new JsonError('not_utf8', 'The text is not valid UTF-8.')
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new JsonError('syntax', `The text is not valid JSON${place(error)}.`)
  }
}

function parseString(text: string, start: number, end: number): string {
  return String(parse(text.slice(start, end)))
}

/** The position, if the parser gives one. The rest of its message quotes the text and is not repeated. */
function place(error: unknown): string {
  const message = error instanceof Error ? error.message : ''
  return / at position \d+(?= \(line \d+ column \d+\)$|$)/.exec(message)?.[0] ?? ''
}

/** A member name as JSON, cut to a length that fits a message. */
function shown(name: string): string {
  return JSON.stringify(name.length > 64 ? `${name.slice(0, 64)}…` : name)
}

/** Whether a value that was read is a JSON object. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
