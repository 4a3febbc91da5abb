import { canonicalJson, invalidField } from '@deputize/protocol'

const MAX_METADATA_BYTES = 4096

/** Metadata as it is kept: canonical JSON, of a bounded size. */
export function metadataText(
  metadata: Record<string, unknown> | undefined,
  pointer: string,
): string | undefined {
  if (metadata === undefined) return undefined
  const text = canonicalJson(metadata)
  const size = Buffer.byteLength(text)
  if (size > MAX_METADATA_BYTES)
    throw invalidField(pointer, `has ${size} bytes of JSON, and ${MAX_METADATA_BYTES} is the most`)
  return text
}
