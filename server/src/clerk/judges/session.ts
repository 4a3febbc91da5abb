import { AuthorityError } from '@deputize/protocol'
import { isoInstant } from '../../domain/times/time.ts'
import { registryRef } from '../../log/registry-ref.ts'
import type { BatchState } from '../batch-state.ts'
import type { BeginSessionCommand, EndSessionCommand } from '../command.ts'

export interface SessionOutcome {
  /** The index of the leaf that begins or ends the session; undefined if it had already ended. */
  readonly log_index: number | undefined
}

/** Records that a session begins. Its secret opens it only while this registry entry is in place. */
export function judgeBeginSession(command: BeginSessionCommand, batch: BatchState): SessionOutcome {
  const { session_key: id, tenant_id, human_ref: owner, assurance_level } = command
  if (batch.registryEntry({ kind: 'session', id }) !== undefined)
    throw new AuthorityError('registry_conflict')
  const document = JSON.stringify({ assurance_level, begun_at: isoInstant(batch.now_ms) })
  const { log_index } = batch.appendLeaf('session.begun', {
    session_ref: registryRef(id),
    tenant_id,
    human_ref: owner,
    assurance_level,
    document_digest: batch.digest(owner, 'document', document),
  })
  batch.saveRegistryEntry({ kind: 'session', id, tenant_id, owner, document, log_index })
  return { log_index }
}

/** Records that a session ends. Ending it again, or after its person was erased, changes nothing. */
export function judgeEndSession(command: EndSessionCommand, batch: BatchState): SessionOutcome {
  const known = batch.registryEntry({ kind: 'session', id: command.session_key })
  if (known?.document === undefined) return { log_index: undefined }
  const { kind, id, tenant_id, owner } = known
  const { log_index } = batch.appendLeaf('session.ended', {
    session_ref: registryRef(id),
    tenant_id,
    human_ref: owner,
  })
  batch.saveRegistryEntry({ kind, id, tenant_id, owner, document: undefined, log_index })
  return { log_index }
}
