import { sha256 } from '@noble/hashes/sha2.js'
import { CanonicalError, canonicalJson } from '../../../protocol/src/canonical.ts'

const encoder = new TextEncoder()

/**
 * The digest of a result, as records keep it: of the bytes themselves, or of the canonical JSON (RFC 8785) of anything else.
 * Undefined for what has no such form: nothing, functions, circles, streams.
 */
export function resultHash(value: unknown): string | undefined {
  if (value instanceof Uint8Array) return digestText(sha256(value))
  if (value instanceof ArrayBuffer) return digestText(sha256(new Uint8Array(value)))
  if (value === undefined || !isData(value)) return undefined
  try {
    return digestText(sha256(encoder.encode(canonicalJson(value))))
  } catch (error) {
    if (error instanceof CanonicalError) return undefined
    throw error
  }
}

/** A hash over what comes piece by piece. */
export interface RunningHash {
  add(chunk: Uint8Array | string): void
  /** Undefined when nothing came. */
  text(): string | undefined
}

export function runningHash(): RunningHash {
  const hash = sha256.create()
  let isEmpty = true
  return {
    add(chunk) {
      isEmpty = isEmpty && chunk.length === 0
      hash.update(typeof chunk === 'string' ? encoder.encode(chunk) : chunk)
    },
    text: () => (isEmpty ? undefined : digestText(hash.digest())),
  }
}

/** What JSON can show. A stream or a response would look like an empty object. */
function isData(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return typeof value !== 'function'
  if ('toJSON' in value) return true
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === null || prototype === Object.prototype || Array.isArray(value)
}

function digestText(digest: Uint8Array): string {
  return `sha256:${Array.from(digest, (byte) => byte.toString(16).padStart(2, '0')).join('')}`
}
