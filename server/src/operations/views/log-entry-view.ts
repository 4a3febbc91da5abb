import { encodeBase64, leafHash } from '@deputize/protocol'

export function logEntryView(index: number, leaf: string) {
  return { index, leaf, leaf_hash: encodeBase64(leafHash(leaf)) }
}
