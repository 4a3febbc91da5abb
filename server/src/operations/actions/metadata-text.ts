import { canonicalJson, invalidField, MAX_METADATA_BYTES } from '@deputize/protocol'

/** Returns metadata as stored: canonical JSON of limited size. */
export function metadataText(
  metadata: Record<string, unknown> | undefined,
  pointer: string,
): string | undefined {
  if (metadata === undefined) return undefined
  const text = canonicalJson(metadata)
  const size = Buffer.byteLength(text)
  if (size > MAX_METADATA_BYTES)
    throw invalidField(pointer, `is ${size} bytes of JSON; the limit is ${MAX_METADATA_BYTES}`)
  return text
}
