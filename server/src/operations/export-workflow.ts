import { EXPORT_FORMATS, type ExportFormat } from '@deputy/protocol'
import { csv } from './exports/csv.ts'
import { ndjson } from './exports/ndjson.ts'
import { provJson } from './exports/prov-json.ts'
import { type Snapshot, snapshotOf } from './exports/snapshot.ts'
import { knownWorkflow } from './list-workflow-records.ts'
import type { Handler, OperationContext } from './operation-context.ts'

/** All of a workflow as of the moment of the call, made while it is sent. */
export const exportWorkflow: Handler<'exportWorkflow'> = async ({ params, query }, context) => {
  const { reader } = context
  const facts = await knownWorkflow(params.ref, context)
  const snapshot = snapshotOf(facts, await reader.workflows.logSize(), reader)
  const { media_type, extension } = EXPORT_FORMATS[query.format]
  return {
    media_type: query.format === 'csv' ? `${media_type}; charset=utf-8; header=present` : media_type,
    file_name: `${params.ref}.${extension}`,
    chunks: EXPORTERS[query.format](snapshot, context),
  }
}

const EXPORTERS: Readonly<
  Record<ExportFormat, (snapshot: Snapshot, context: OperationContext) => AsyncIterable<string>>
> = {
  ndjson,
  csv,
  'prov-json': (snapshot, { issuer }) => provJson(snapshot, issuer),
}
