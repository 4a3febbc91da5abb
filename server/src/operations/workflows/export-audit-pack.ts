import { AuthorityError } from '@deputize/protocol'
import type { Handler, OperationContext } from '../operation-context.ts'
import { auditFiles } from './audit/audit-files.ts'
import { assertPackable, chosenWorkflows } from './audit/chosen-workflows.ts'
import { zipArchive } from './audit/zip-archive.ts'
import { checkpointOver } from './export-workflow.ts'

/** Exports the chosen workflows as of the call, verified and archived while they are sent. */
export const exportAuditPack: Handler<'exportAuditPack'> = async ({ caller, query }, context) => {
  const workflows = assertPackable(await chosenWorkflows(query, caller, context))
  const { size } = await context.reader.log.head()
  const checkpoint = await checkpointOver(size, context)
  const { tenant_id } = caller
  const files = auditFiles({ workflows, checkpoint, chosen: query, tenant_id }, context)
  const day = new Date(context.clock()).toISOString().slice(0, 10)
  return {
    media_type: 'application/zip',
    file_name: `audit-pack-${day}-${checkpoint.size}.zip`,
    chunks: oneAtATime(tenant_id, context, zipArchive(files)),
  }
}

/**
 * Tenants that are downloading a pack from this node. Each may download only one, because verifying it holds a workflow
 * in memory.
 */
const DOWNLOADING = new WeakMap<OperationContext, Set<string>>()

async function* oneAtATime(
  tenant_id: string,
  context: OperationContext,
  chunks: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  const tenants = DOWNLOADING.get(context) ?? new Set()
  DOWNLOADING.set(context, tenants)
  if (tenants.has(tenant_id)) throw new AuthorityError('audit_pack_busy')
  tenants.add(tenant_id)
  try {
    yield* chunks
  } finally {
    tenants.delete(tenant_id)
  }
}
