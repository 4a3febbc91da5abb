import canonicalize from 'canonicalize'

/** The value has no canonical form. */
export class CanonicalError extends Error {
  constructor(detail: string) {
    super(detail)
    this.name = 'CanonicalError'
  }
}

/**
 * The canonical JSON of `value` (RFC 8785), the form that is hashed and signed. Undefined members are omitted, as in
 * JSON.stringify. Throws for NaN, infinities, BigInt, lone surrogates, cycles, and values that JSON does not have.
 */
export function canonicalJson(value: unknown): string {
  const text = plainJson(value, 0) ?? attempt(value)
  if (text === undefined) throw new CanonicalError(`A ${typeof value} has no canonical JSON form.`)
  return text
}

function attempt(value: unknown): string | undefined {
  try {
    return canonicalize(value)
  } catch (error) {
    const reason = error instanceof Error ? error.message : 'unknown reason'
    throw new CanonicalError(`No canonical JSON form: ${reason}.`)
  }
}

/** Deeper values, and so all cycles, are left to the library. */
const PLAIN_DEPTH = 32

/**
 * The canonical JSON of values that JSON.parse can return, in half the library's time. Undefined for anything else,
 * which the library then writes or refuses.
 */
function plainJson(value: unknown, depth: number): string | undefined {
  if (typeof value === 'string') return plainString(value)
  if (typeof value === 'number') return Number.isFinite(value) ? String(value) : undefined
  if (typeof value === 'boolean') return String(value)
  if (value === null) return 'null'
  // Lists can have a toJSON member too, and it need not be among the keys.
  if (typeof value !== 'object' || depth === PLAIN_DEPTH || 'toJSON' in value) return undefined
  if (Array.isArray(value)) return plainArray(value, depth + 1)
  return Object.getPrototypeOf(value) === Object.prototype ? plainObject(value, depth + 1) : undefined
}

/** A character that JSON escapes, or half of a surrogate pair. */
const SPECIAL = /[^ !#-[\]-\ud7ff\ue000-\uffff]/

function plainString(text: string): string | undefined {
  if (!SPECIAL.test(text)) return `"${text}"`
  return text.isWellFormed() ? JSON.stringify(text) : undefined
}

function plainArray(items: readonly unknown[], depth: number): string | undefined {
  let text = '['
  for (const item of items) {
    const own = plainJson(item, depth)
    if (own === undefined) return undefined
    text += text === '[' ? own : `,${own}`
  }
  return `${text}]`
}

function plainObject(value: object, depth: number): string | undefined {
  const members = value as Readonly<Record<string, unknown>> // whatever they hold
  let text = '{'
  for (const name of Object.keys(members).sort()) {
    const member = members[name]
    if (member === undefined) continue
    const own = plainJson(member, depth)
    const shown = plainString(name)
    if (own === undefined || shown === undefined) return undefined
    text += text === '{' ? `${shown}:${own}` : `,${shown}:${own}`
  }
  return `${text}}`
}
