import { AuthorityError } from '@deputize/protocol'
import { registryRef } from '../../log/registry-ref.ts'
import type { RegistryEntry } from '../../store/port.ts'
import type { Ledger } from '../batch-state.ts'
import type { RegisterCommand } from '../command.ts'

export interface RegisterOutcome {
  /** Where the leaf of the change stands; undefined when there was nothing to remove. */
  readonly log_index: number | undefined
}

/**
 * Enters, replaces or removes an entry, if it still is what the caller has seen. What has a document stays with its
 * tenant and its owner: to give it to others, it is removed and entered anew.
 */
export function register(command: RegisterCommand, ledger: Ledger): RegisterOutcome {
  const { entry_kind: kind, id, tenant_id, owner, document } = command
  const known = ledger.registered({ kind, id })
  if (!isExpected(command, known) || !isOfTheSame(command, known))
    throw new AuthorityError('registry_conflict')
  if (document === undefined && known?.document === undefined) return { log_index: undefined }
  const { log_index } = ledger.log('registry.changed', {
    kind,
    id_ref: registryRef(id),
    tenant_id,
    ...(owner !== undefined && { human_ref: owner }),
    ...(document === undefined
      ? { removed: true }
      : { document_digest: ledger.digest(owner, 'document', document) }),
  })
  ledger.register({ kind, id, tenant_id, owner, document, log_index })
  return { log_index }
}

function isExpected({ expects }: RegisterCommand, known: RegistryEntry | undefined): boolean {
  if (expects === 'any') return true
  return expects === 'absent' ? known?.document === undefined : known?.log_index === expects
}

function isOfTheSame({ tenant_id, owner }: RegisterCommand, known: RegistryEntry | undefined): boolean {
  if (known?.document === undefined) return true
  return known.tenant_id === tenant_id && known.owner === owner
}
