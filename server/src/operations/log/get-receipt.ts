import {
  AuthorityError,
  encodeBase64,
  RECEIPT_TYP,
  type Receipt,
  signStatement,
  vkeyOf,
} from '@deputize/protocol'
import type { StoredRecord } from '../../domain/record.ts'
import { loadRecord } from '../loading/load-record.ts'
import type { Handler, OperationContext } from '../operation-context.ts'
import { logEntryView } from '../views/log-entry-view.ts'

type ProvenEntry = Receipt['entries'][number]
type LoggedChange = Pick<ProvenEntry, 'kind' | 'index'>

export const getReceipt: Handler<'getReceipt'> = async ({ params }, context) => {
  const { keys } = context
  const { checkpointSigner } = context.log
  const record = await loadRecord(params.id, context)
  const changes = loggedChanges(record)
  const checkpoint = await checkpointSigner.covering(Math.max(...changes.map(({ index }) => index)) + 1)
  if (checkpoint === undefined) throw new AuthorityError('checkpoint_pending')
  const entries = await Promise.all(changes.map((change) => provenEntry(change, checkpoint.size, context)))
  const receipt = { aar_id: record.aar_id, origin: keys.log.key.name, vkey: vkeyOf(keys.log.key) }
  const { kid, sign } = keys.active('statements')
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

/** Returns a record's log entries. An action recorded in a single call is created and completed by the same entry. */
function loggedChanges({ log_index, completed_log_index, rating }: StoredRecord): LoggedChange[] {
  const changes: LoggedChange[] = [{ kind: 'created', index: log_index }]
  if (completed_log_index !== undefined && completed_log_index !== log_index)
    changes.push({ kind: 'completed', index: completed_log_index })
  if (rating !== undefined) changes.push({ kind: 'rated', index: rating.log_index })
  return changes
}

async function provenEntry(
  { kind, index }: LoggedChange,
  size: number,
  { reader, log: { tree } }: OperationContext,
): Promise<ProvenEntry> {
  const [leaf] = await reader.log.leaves(index, index + 1)
  if (leaf === undefined) throw new Error(`log entry ${index} is missing`)
  const proof = await tree.inclusionProof(index, size)
  return { kind, ...logEntryView(index, leaf), proof: proof.map(encodeBase64) }
}
