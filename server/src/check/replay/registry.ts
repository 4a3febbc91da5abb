import { DEFAULT_TENANT, LEVELS } from '@deputize/protocol'
import { ACCESS_MODES } from '../../domain/access-mode.ts'
import type { Leaf } from '../../log/leaf.ts'
import { registryRef } from '../../log/registry-ref.ts'
import { DISABLED_REASONS } from '../../store/deliveries.ts'
import { ACCESS_ENTRY, REGISTRY_KINDS, type RegistryKind } from '../../store/port/registry.ts'
import { expectedHuman, expectedText, type LeafEffects, type LeafStep } from './expected.ts'
import { LeafError, readOptionalText, readTextMember } from './leaf-reader.ts'
import { linkAddress } from './own-vouches.ts'
import { entryKey, isKept } from './registry-entries.ts'

/** Creates, replaces or removes a registry entry. */
export function applyRegistryChange({ leaf, log_index, replay, effects }: LeafStep): void {
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
  checkWithdrawal(leaf, kind, effects)
  checkActor(leaf, effects)
  if (owner !== undefined) expectedHuman(replay, owner)
  const document = expectedText(replay, owner, 'document', digest, log_index)
  replay.registry.set(key, { kind, log_index, tenant_id, owner, document })
  if (kind === 'identity' && owner !== undefined && digest !== undefined)
    linkAddress(readTextMember(leaf, 'id_ref'), owner, replay)
}

/** Checks that only a provider's check withdraws a level, and only a level that it can give. */
function checkWithdrawal(leaf: Leaf, kind: RegistryKind, effects: LeafEffects): void {
  const level = readOptionalText(leaf, 'withdraws')
  if (level !== undefined && (kind !== 'external_check' || (level !== 'L2' && level !== 'L3')))
    effects.violations.push('takes back a level that its entry cannot have given')
}

const ACTOR = /^(?:key:sha256:[0-9a-f]{64}|human:sha256:.+)$/

/**
 * Checks that the change was made by an API key or a person, named by a hash. Leaves of earlier versions don't say who
 * made it.
 */
function checkActor(leaf: Leaf, effects: LeafEffects): void {
  const by = readOptionalText(leaf, 'by')
  if (by !== undefined && !ACTOR.test(by))
    effects.violations.push('is made by neither an API key nor a person')
}

/** Begins a session, or ends one whose person hasn't been erased. */
export function applySession({ leaf, log_index, replay, effects }: LeafStep): void {
  const key = entryKey('session', readTextMember(leaf, 'session_ref'))
  const tenant_id = readTextMember(leaf, 'tenant_id')
  const owner = readTextMember(leaf, 'human_ref')
  const known = replay.registry.get(key)
  if (leaf.type === 'session.ended') {
    if (known === undefined || !isKept(known, replay))
      effects.violations.push('ends a session that does not exist')
    if (known !== undefined && (known.tenant_id !== tenant_id || known.owner !== owner))
      effects.violations.push('ends the session of another tenant or person')
    replay.registry.set(key, { kind: 'session', log_index, tenant_id, owner, document: undefined })
    return
  }
  if (known !== undefined) effects.violations.push('begins a session that exists already')
  if (!Object.hasOwn(LEVELS, readTextMember(leaf, 'assurance_level')))
    throw new LeafError('has an unknown assurance level')
  expectedHuman(replay, owner)
  const document = expectedText(replay, owner, 'document', readTextMember(leaf, 'document_digest'), log_index)
  replay.registry.set(key, { kind: 'session', log_index, tenant_id, owner, document })
}

/** Switches the deployment between open and keyed mode. */
export function applyAccessMode({ leaf, log_index, replay, effects }: LeafStep): void {
  const mode = readTextMember(leaf, 'mode')
  if (!ACCESS_MODES.some((one) => one === mode)) throw new LeafError('has an unknown access mode')
  const { kind, id } = ACCESS_ENTRY
  const key = entryKey(kind, registryRef(id))
  const digest = readTextMember(leaf, 'document_digest')
  if (replay.registry.get(key)?.document?.digest === digest)
    effects.violations.push('sets the access mode that holds already')
  const document = expectedText(replay, undefined, 'document', digest, log_index)
  replay.registry.set(key, { kind, log_index, tenant_id: DEFAULT_TENANT, owner: undefined, document })
}

/** Checks the leaf of a disabled event endpoint. Nothing in the store follows from it. */
export function applyEndpointDisabled({ leaf, effects }: LeafStep): void {
  kindIn(leaf)
  readTextMember(leaf, 'webhook_id')
  readTextMember(leaf, 'tenant_id')
  if (!DISABLED_REASONS.some((one) => one === leaf.reason))
    effects.violations.push('disables an endpoint for an unknown reason')
}

function kindIn(leaf: Leaf): RegistryKind {
  const named = readTextMember(leaf, 'kind')
  const kind = REGISTRY_KINDS.find((one) => one === named)
  if (kind === undefined) throw new LeafError('has an unknown kind of registry entry')
  return kind
}
