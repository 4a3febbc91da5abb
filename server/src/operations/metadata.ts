import { canonicalJson, invalidField } from '@deputy/protocol'
import type { KeyRing } from '../keys/key-ring.ts'

const MAX_METADATA_BYTES = 4096

/** Metadata as it is kept, with the keyed digest that stands for it in the log. */
export interface KeptMetadata {
  readonly metadata: string | undefined
  readonly metadata_digest: string | undefined
}

export function keepMetadata(
  metadata: Record<string, unknown> | undefined,
  pointer: string,
  keys: KeyRing,
): KeptMetadata {
  if (metadata === undefined) return { metadata: undefined, metadata_digest: undefined }
  const text = canonicalJson(metadata)
  const size = Buffer.byteLength(text)
  if (size > MAX_METADATA_BYTES)
    throw invalidField(pointer, `has ${size} bytes of JSON, and ${MAX_METADATA_BYTES} is the most`)
  return { metadata: text, metadata_digest: keys.digest('metadata', text) }
}
