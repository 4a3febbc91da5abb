import { encodeBase64 } from '@deputize/protocol'
import { isoInstant } from '../../../domain/times/time.ts'
import { publicRecord } from './public-record.ts'
import type { Snapshot } from './snapshot.ts'

/** A signed checkpoint of the log. */
export interface PackCheckpoint {
  readonly origin: string
  /** The key that signed it, in the encoding of signed notes. */
  readonly vkey: string
  /** The complete signed note. */
  readonly note: string
  readonly size: number
}

/** The proofs that a proof pack takes from the log. */
export interface LogProofs {
  inclusionProof(index: number, size: number): Promise<Uint8Array[]>
}

/**
 * Yields a file that lets a reader verify a workflow offline: the checkpoint, every leaf of the workflow with its
 * proof, every record as of that checkpoint, the leaves of the vouches that its agents relied on, and finally the
 * counts, so that a truncated file is detected. The snapshot must have the size of the checkpoint.
 */
export async function* proofPack(
  snapshot: Snapshot,
  { origin, vkey, note, size }: PackCheckpoint,
  proofs: LogProofs,
  now_ms: number,
): AsyncGenerator<string> {
  if (snapshot.size !== size)
    throw new Error(`the snapshot has size ${snapshot.size}, the checkpoint ${size}`)
  const { provenance_ref } = snapshot.facts
  yield jsonLine({
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
    yield jsonLine({ index: log_index, leaf: text, proof: proof.map(encodeBase64) })
    entries += 1
  }
  let records = 0
  for await (const record of snapshot.records()) {
    yield jsonLine({ record: publicRecord(record) })
    records += 1
  }
  let vouches = 0
  for await (const vouch of snapshot.vouches())
    for await (const { log_index, text } of snapshot.vouchLeaves(vouch)) {
      const proof = await proofs.inclusionProof(log_index, size)
      yield jsonLine({ vouch: { index: log_index, leaf: text, proof: proof.map(encodeBase64) } })
      vouches += 1
    }
  yield jsonLine({ end: true, entries, records, ...(vouches > 0 && { vouches }) })
}

function jsonLine(value: unknown): string {
  return `${JSON.stringify(value)}\n`
}
