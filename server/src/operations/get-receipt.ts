import {
  AuthorityError,
  encodeBase64,
  leafHash,
  RECEIPT_TYP,
  type Receipt,
  signStatement,
  vkeyOf,
} from '@deputize/protocol'
import type { StoredRecord } from '../domain/record.ts'
import type { Handler, OperationContext } from './operation-context.ts'

type ReceiptEntry = Receipt['entries'][number]

export const getReceipt: Handler<'getReceipt'> = async ({ params }, context) => {
  const { reader, checkpointSigner, keys } = context
  const record = await reader.record(params.id)
  if (record === undefined) throw new AuthorityError('record_unknown')
  const places = placesOf(record)
  const checkpoint = await checkpointSigner.covering(Math.max(...places.map(({ index }) => index)) + 1)
  if (checkpoint === undefined) throw new AuthorityError('checkpoint_pending')
  const entries = await Promise.all(places.map((place) => entryOf(place, checkpoint.size, context)))
  const receipt = { aar_id: record.aar_id, origin: keys.log.key.name, vkey: vkeyOf(keys.log.key) }
  const { kid, sign } = keys.active()
  const statement = await signStatement(
    { alg: 'EdDSA', typ: RECEIPT_TYP, kid },
    {
      iss: context.issuer,
      iat: Math.floor(context.clock() / 1000),
      ...receipt,
      size: checkpoint.size,
      root_hash: encodeBase64(checkpoint.root),
      entries: entries.map(({ kind, index, leaf_hash }) => ({ kind, index, leaf_hash })),
    },
    sign,
  )
  return { ...receipt, entries, checkpoint: checkpoint.note, statement }
}

/** Where the log tells of the record. One that was recorded in a single call was completed where it was created. */
function placesOf({ log_index, completed_log_index, rating }: StoredRecord) {
  const places: Pick<ReceiptEntry, 'kind' | 'index'>[] = [{ kind: 'created', index: log_index }]
  if (completed_log_index !== undefined && completed_log_index !== log_index)
    places.push({ kind: 'completed', index: completed_log_index })
  if (rating !== undefined) places.push({ kind: 'rated', index: rating.log_index })
  return places
}

async function entryOf(
  { kind, index }: Pick<ReceiptEntry, 'kind' | 'index'>,
  size: number,
  { reader, tree }: OperationContext,
): Promise<ReceiptEntry> {
  const [leaf] = await reader.log.leaves(index, index + 1)
  if (leaf === undefined) throw new Error(`entry ${index} of the log is missing`)
  const proof = await tree.inclusionProof(index, size)
  return { kind, index, leaf, leaf_hash: encodeBase64(leafHash(leaf)), proof: proof.map(encodeBase64) }
}
