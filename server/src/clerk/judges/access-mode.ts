import { DEFAULT_TENANT } from '@deputize/protocol'
import { ACCESS_ENTRY } from '../../store/port/registry.ts'
import type { BatchState } from '../batch-state.ts'
import type { SetAccessModeCommand } from '../command.ts'

/** Marks the store as belonging to open or keyed mode. Setting the same mode again changes nothing. */
export function judgeSetAccessMode({ mode }: SetAccessModeCommand, batch: BatchState): void {
  const document = JSON.stringify({ mode })
  if (batch.registryEntry(ACCESS_ENTRY)?.document === document) return
  const { log_index } = batch.appendLeaf('access.changed', {
    mode,
    document_digest: batch.digest(undefined, 'document', document),
  })
  batch.saveRegistryEntry({
    ...ACCESS_ENTRY,
    tenant_id: DEFAULT_TENANT,
    owner: undefined,
    document,
    log_index,
  })
}
