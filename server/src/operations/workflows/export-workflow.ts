import { AuthorityError, EXPORT_FORMATS, type ExportFormat, vkeyOf } from '@deputize/protocol'
import type { Handler, OperationContext } from '../operation-context.ts'
import { csv } from './exports/csv.ts'
import { ndjson } from './exports/ndjson.ts'
import { ocsf } from './exports/ocsf.ts'
import { type PackCheckpoint, proofPack } from './exports/proof-pack.ts'
import { provJson } from './exports/prov-json.ts'
import { type Snapshot, snapshotOf } from './exports/snapshot.ts'
import { loadWorkflow } from './load-workflow.ts'

/** Exports the whole workflow as of the call, streamed while it is read. */
export const exportWorkflow: Handler<'exportWorkflow'> = async ({ params, query }, context) => {
  const facts = await loadWorkflow(params.ref, context)
  const { media_type, extension } = EXPORT_FORMATS[query.format]
  const { size } = await context.reader.log.head()
  const checkpoint = query.format === 'proof-pack' ? await checkpointOver(size, context) : undefined
  const snapshot = snapshotOf(facts, checkpoint?.size ?? size, context.reader)
  return {
    media_type: query.format === 'csv' ? `${media_type}; charset=utf-8; header=present` : media_type,
    file_name: `${params.ref}.${extension}`,
    chunks:
      checkpoint === undefined
        ? EXPORTERS[query.format as keyof typeof EXPORTERS](snapshot, context) // the other format, proof-pack, always has a checkpoint
        : proofPack(snapshot, checkpoint, context.log.tree, context.clock()),
  }
}

const EXPORTERS: Readonly<
  Record<
    Exclude<ExportFormat, 'proof-pack'>,
    (snapshot: Snapshot, context: OperationContext) => AsyncIterable<string>
  >
> = {
  ndjson,
  csv,
  'prov-json': (snapshot, { issuer }) => provJson(snapshot, issuer),
  ocsf,
}

/** Returns a signed checkpoint that covers everything committed before the call. */
export async function checkpointOver(
  size: number,
  { log: { checkpointSigner }, keys }: OperationContext,
): Promise<PackCheckpoint> {
  const checkpoint = await checkpointSigner.covering(size)
  if (checkpoint === undefined) throw new AuthorityError('checkpoint_pending')
  const { key } = keys.log
  return { origin: key.name, vkey: vkeyOf(key), note: checkpoint.note, size: checkpoint.size }
}
