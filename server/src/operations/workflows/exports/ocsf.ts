import { type DeputyEvent, type OcsfSource, ocsfRow, tokenRef } from '@deputize/protocol'
import type { OperationContext } from '../../operation-context.ts'
import type { Snapshot } from './snapshot.ts'

/** Yields every event of the workflow as an OCSF row, one per line. */
export async function* ocsf(
  { leaves }: Snapshot,
  { events: { feed }, issuer, node: { version } }: OperationContext,
): AsyncGenerator<string> {
  for await (const { log_index } of leaves()) {
    const { changes } = await feed.read(log_index, 1)
    for (const change of changes)
      yield `${JSON.stringify(ocsfRow(exported(await change.event()), { issuer, version }))}\n`
  }
}

/** Members of events that hold the ID of a token, and the members that hold its digest in exports. */
const TOKEN_IDS = { vat_jti: 'token', parent_jti: 'parent_token', renews_jti: 'renewed_token' } as const

/** Returns an event for a file that leaves the deployment. Token IDs, credentials in open mode, are hashed. */
function exported({ data, ...event }: DeputyEvent): OcsfSource {
  const shown: Record<string, unknown> = { ...data }
  for (const [name, digest] of Object.entries(TOKEN_IDS)) {
    const jti = shown[name]
    if (typeof jti !== 'string') continue
    delete shown[name]
    shown[digest] = tokenRef(jti)
  }
  return { ...event, data: shown }
}
