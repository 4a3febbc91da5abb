import { AuthorityError } from '@deputize/protocol'
import { actorRef } from '../../log/actor-ref.ts'
import { registryRef } from '../../log/registry-ref.ts'
import type { RegistryEntry } from '../../store/port/registry.ts'
import type { BatchState } from '../batch-state.ts'
import type { RegisterCommand } from '../command.ts'
import { refuseUnderEveryRef } from './refuse-tokens.ts'
import { endVouchesForOneself } from './vouch.ts'

export interface RegisterOutcome {
  /** The index of the leaf that records the change; undefined if there was nothing to remove. */
  readonly log_index: number | undefined
}

/**
 * Creates, replaces or removes a registry entry if it is still in the state that the caller has seen. An entry with a
 * document keeps its tenant and owner: to transfer it, remove it and create it again.
 */
export function judgeRegister(command: RegisterCommand, batch: BatchState): RegisterOutcome {
  const { entry_kind: kind, id, tenant_id, owner, document, withdraws, by } = command
  const known = batch.registryEntry({ kind, id })
  if (!matchesExpectation(command, known) || !keepsOwner(command, known))
    throw new AuthorityError('registry_conflict')
  // A repeated removal changes nothing, but clears copies that a crash left behind.
  if (document === undefined && kind === 'biometric') batch.scrub('registry')
  if (document === undefined && known?.document === undefined) return { log_index: undefined }
  const { log_index } = batch.appendLeaf('registry.changed', {
    kind,
    id_ref: registryRef(id),
    tenant_id,
    ...(owner !== undefined && { human_ref: owner }),
    ...(document === undefined
      ? { removed: true }
      : { document_digest: batch.digest(owner, 'document', document) }),
    ...(withdraws !== undefined && { withdraws }),
    ...(by !== undefined && { by: actorRef(by) }),
  })
  batch.saveRegistryEntry({ kind, id, tenant_id, owner, document, log_index })
  if (kind === 'identity' && document !== undefined && owner !== undefined) {
    endVouchesForOneself(owner, batch)
    refuseUnderEveryRef(owner, batch)
  }
  return { log_index }
}

function matchesExpectation({ expects }: RegisterCommand, known: RegistryEntry | undefined): boolean {
  if (expects === 'any') return true
  return expects === 'absent' ? known?.document === undefined : known?.log_index === expects
}

function keepsOwner({ tenant_id, owner }: RegisterCommand, known: RegistryEntry | undefined): boolean {
  if (known?.document === undefined) return true
  return known.tenant_id === tenant_id && known.owner === owner
}
