import type { BatchState } from '../batch-state.ts'
import type { EndpointDisabledCommand } from '../command.ts'

/** Only appends a leaf: whether an endpoint is disabled is operational data, which no rule reads. */
export function judgeEndpointDisabled(
  { endpoint_id, tenant_id, entry_kind, cause }: EndpointDisabledCommand,
  batch: BatchState,
): void {
  batch.appendLeaf('webhook.disabled', {
    webhook_id: endpoint_id,
    tenant_id,
    kind: entry_kind,
    reason: cause,
  })
}
