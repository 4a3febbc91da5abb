import canonicalize from 'canonicalize'

/** The value has no canonical form. */
export class CanonicalError extends Error {
  constructor(detail: string) {
    super(detail)
    this.name = 'CanonicalError'
  }
}

/**
 * The canonical JSON of `value` (RFC 8785), the form that is hashed and signed. Undefined members are left out, as
 * JSON.stringify does. Throws for NaN, infinities, BigInt, lone surrogates, cycles, and values that JSON does not have.
 */
export function canonicalJson(value: unknown): string {
  const text = attempt(value)
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
