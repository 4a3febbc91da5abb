import { canonicalJson } from '../../../../protocol/src/encoding/canonical.ts'
import { newSha256, sha256Hex } from '../sha256.ts'

/**
 * Returns the hash of a result as action records store it: SHA-256 of the bytes, or of the canonical JSON (RFC 8785) of
 * other values. Returns undefined for values without a canonical form: undefined, functions, cyclic objects, streams,
 * and objects that throw when they are read.
 *
 * @example
 * ```ts
 * import { resultHash } from '@deputize/sdk'
 *
 * const hash = resultHash({ events: ['stand-up'] })
 * console.log(hash === resultHash({ events: ['stand-up'] })) // true
 * ```
 */
export function resultHash(value: unknown): string | undefined {
  if (value instanceof Uint8Array) return digestText(value)
  if (value instanceof ArrayBuffer) return digestText(new Uint8Array(value))
  if (value === undefined) return undefined
  try {
    return isData(value) ? digestText(canonicalJson(value)) : undefined
  } catch {
    return undefined // the work is done, and its record matters more than its hash
  }
}

/** A hash over chunks. */
export interface RunningHash {
  add(chunk: Uint8Array | string): void
  /** Undefined if no bytes were added. */
  text(): string | undefined
}

export function runningHash(): RunningHash {
  const hash = newSha256()
  let isEmpty = true
  return {
    add(chunk) {
      isEmpty = isEmpty && chunk.length === 0
      hash.update(chunk)
    },
    text: () => (isEmpty ? undefined : `sha256:${hash.hex()}`),
  }
}

/** Whether JSON can represent the value. A stream or a response would look like an empty object. */
function isData(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return typeof value !== 'function'
  if ('toJSON' in value) return true
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === null || prototype === Object.prototype || Array.isArray(value)
}

function digestText(data: Uint8Array | string): string {
  return `sha256:${sha256Hex(data)}`
}
