import type { Leaf } from '../../log/leaf.ts'
import { REGISTRY_KINDS, type RegistryKind } from '../../store/port.ts'
import {
  type ExpectedRegistryEntry,
  expectedHuman,
  expectedText,
  type LeafEffects,
  type LeafPosition,
  type ReplayState,
} from './expected.ts'
import { LeafError, readOptionalText, readTextMember } from './leaf-reader.ts'

/** A registry entry is created, replaced or removed. */
export function applyRegistryChange(
  leaf: Leaf,
  { log_index }: LeafPosition,
  replay: ReplayState,
  effects: LeafEffects,
): void {
  const kind = kindIn(leaf)
  const key = entryKey(kind, readTextMember(leaf, 'id_ref'))
  const tenant_id = readTextMember(leaf, 'tenant_id')
  const owner = readOptionalText(leaf, 'human_ref')
  const digest = readOptionalText(leaf, 'document_digest')
  if ((digest === undefined) !== (leaf.removed === true))
    effects.violations.push('must either set a document or remove the entry')
  const known = replay.registry.get(key)
  const isThere = known !== undefined && isKept(known, replay)
  if (digest === undefined && !isThere)
    effects.violations.push('removes a registry entry that does not exist')
  if (isThere && (known.tenant_id !== tenant_id || known.owner !== owner))
    effects.violations.push('transfers a registry entry to another tenant or person')
  if (owner !== undefined) expectedHuman(replay, owner)
  const document = expectedText(replay, owner, 'document', digest, log_index)
  replay.registry.set(key, { kind, log_index, tenant_id, owner, document })
}

/** Whether it was neither removed nor lost its owner to an erasure. */
function isKept({ document, owner, log_index }: ExpectedRegistryEntry, replay: ReplayState): boolean {
  if (document === undefined) return false
  const erased_at = owner === undefined ? undefined : replay.humans.get(owner)?.erased_at
  return !erased_at?.some((index) => index > log_index)
}

function kindIn(leaf: Leaf): RegistryKind {
  const named = readTextMember(leaf, 'kind')
  const kind = REGISTRY_KINDS.find((one) => one === named)
  if (kind === undefined) throw new LeafError('has an unknown kind of registry entry')
  return kind
}

/** The key of an entry. Leaves hold only a reference to its ID. */
export function entryKey(kind: string, id_ref: string): string {
  return `${kind} ${id_ref}`
}
