import { encodeBase64 } from '@deputize/protocol'
import { isoInstant } from '../../domain/time.ts'
import { publicRecord } from './public-record.ts'
import type { Snapshot } from './snapshot.ts'

/** A signed checkpoint of the log. */
export interface PackCheckpoint {
  readonly origin: string
  /** The key that signed it, as signed notes write keys. */
  readonly vkey: string
  /** The signed note, whole. */
  readonly note: string
  readonly size: number
}

/** What a proof pack needs of the log. */
export interface LogProofs {
  inclusionProof(index: number, size: number): Promise<Uint8Array[]>
}

/**
 * One file with which a workflow can be checked offline: the checkpoint, every leaf of the workflow with its proof, every
 * record as of that checkpoint, and at last how many there were, so that a part is not taken for the whole. The snapshot
 * must be that of the checkpoint's size.
 */
export async function* proofPack(
  snapshot: Snapshot,
  { origin, vkey, note, size }: PackCheckpoint,
  proofs: LogProofs,
  now_ms: number,
): AsyncGenerator<string> {
  if (snapshot.size !== size) throw new Error(`a snapshot at ${snapshot.size} cannot be proven at ${size}`)
  const { provenance_ref } = snapshot.facts
  yield line({
    format: 'deputy-proof-pack',
    version: 1,
    provenance_ref,
    origin,
    vkey,
    checkpoint: note,
    exported_at: isoInstant(now_ms),
  })
  let entries = 0
  for await (const { log_index, text } of snapshot.leaves()) {
    const proof = await proofs.inclusionProof(log_index, size)
    yield line({ index: log_index, leaf: text, proof: proof.map(encodeBase64) })
    entries += 1
  }
  let records = 0
  for await (const record of snapshot.records()) {
    yield line({ record: publicRecord(record) })
    records += 1
  }
  yield line({ end: true, entries, records })
}

function line(value: unknown): string {
  return `${JSON.stringify(value)}\n`
}
