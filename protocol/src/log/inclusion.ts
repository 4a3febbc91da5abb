/** Verifies that a leaf is in the tree that a log signed. */

import { decodeBase64 } from '../encoding/base64.ts'
import type { Checkpoint } from './checkpoint.ts'
import { LogFault } from './faults.ts'
import { HASH_BYTES, inclusionPath, leafHash, verifyInclusion } from './merkle.ts'

export interface Inclusion {
  /** The text of the leaf. */
  readonly leaf: string
  readonly index: number
  /** The sibling hashes on the path from the leaf to the root, in base64. */
  readonly proof: readonly string[]
  /** Already verified. */
  readonly checkpoint: Checkpoint
}

/** Throws a LogFault unless the proof leads from the leaf at its index to the root. */
export function verifyInclusionOf({ leaf, index, proof, checkpoint }: Inclusion): void {
  const { size, root } = checkpoint
  if (index >= size)
    throw new LogFault('index_beyond_tree', `It is entry ${index} in a tree of ${size} entries.`)
  const hashes = proof.map((text) => readHash(text, index))
  const wanted = inclusionPath(index, size).length
  if (hashes.length !== wanted)
    throw new LogFault(
      'proof_of_another_tree',
      `Entry ${index} of ${size} takes ${wanted} hashes, and there are ${hashes.length}.`,
    )
  if (!verifyInclusion({ index, size, leaf_hash: leafHash(leaf), proof: hashes, root }))
    throw new LogFault('proof_wrong', `It is the proof of entry ${index} in a tree of ${size} entries.`)
}

function readHash(text: string, index: number): Uint8Array {
  const hash = decodeBase64(text)
  if (hash?.length === HASH_BYTES) return hash
  throw new LogFault('proof_malformed', `It is the proof of entry ${index}.`)
}
