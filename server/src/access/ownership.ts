import { DEFAULT_TENANT, type Evidence, type Subject, tenantOf } from '@deputize/protocol'
import type { RequiredApprovers } from '../domain/approvals/approvers.ts'
import type { Chain } from '../domain/tokens/token.ts'
import { CAPTURE_KINDS, SIGN_IN_KINDS } from '../store/person-entries.ts'
import { EVERY_TOKEN } from '../store/port/filters.ts'
import type { RegistryKind } from '../store/port/registry.ts'
import type { ReadStore } from '../store/port.ts'
import type { AgentCaller, HumanCaller, KeyCaller } from './caller.ts'

/** A caller who has presented a credential. */
export type KnownCaller = KeyCaller | HumanCaller | AgentCaller

/** Whom the subject of a call belongs to. Members that do not apply to its kind are empty. */
export interface Ownership {
  readonly tenant_id: string
  readonly human_ref: string
  readonly provenance_ref: string
  /** The token itself, or the token that the subject was made with. */
  readonly jti: string
  /** People other than the owner who decide about it, by ref. */
  readonly approvers: readonly string[]
  /** Whether it is a record that a resource server opened and has not completed yet. */
  readonly is_watched: boolean
}

const UNOWNED = { human_ref: '', provenance_ref: '', jti: '', approvers: [], is_watched: false } as const

/** Looks up whom the subject belongs to, as far as the caller may know. Undefined if the subject doesn't exist. */
export async function ownershipOf(
  kind: Subject['kind'],
  id: string,
  caller: KnownCaller,
  reader: ReadStore,
): Promise<Ownership | undefined> {
  switch (kind) {
    case 'token':
      return tokenOwnership(await reader.standing.chain(id))
    case 'record':
      return recordOwnership(id, reader)
    case 'denial':
      return ownershipByToken(await reader.denial(id))
    case 'approval':
      return ownershipByToken(await reader.approval(id))
    case 'workflow': {
      const facts = await reader.workflows.facts(id)
      return facts && { ...UNOWNED, ...facts, tenant_id: tenantOf(facts.agent_id) }
    }
    case 'human':
      return (await isKnownPerson(id, caller.tenant_id, reader))
        ? { ...UNOWNED, tenant_id: caller.tenant_id, human_ref: id }
        : undefined
    case 'tenant':
      return { tenant_id: managesAllTenants(caller) ? caller.tenant_id : id, ...UNOWNED }
    case 'key': {
      const entry = await reader.registry.entry('api_key', id)
      if (entry?.document === undefined) return undefined
      return { tenant_id: managesAllTenants(caller) ? caller.tenant_id : entry.tenant_id, ...UNOWNED }
    }
    case 'passkey': {
      const entry = await reader.registry.entry('passkey', id)
      if (entry?.document === undefined) return undefined
      return { ...UNOWNED, tenant_id: entry.tenant_id, human_ref: entry.owner ?? '' }
    }
    case 'verification': {
      const entry = await reader.registry.entry('verification', id)
      if (entry?.document === undefined) return undefined
      return { ...UNOWNED, tenant_id: entry.tenant_id, human_ref: entry.owner ?? '' }
    }
    case 'channel': {
      const entry =
        (await reader.registry.entry('channel', id)) ?? (await reader.registry.entry('tenant_channel', id))
      if (entry?.document === undefined) return undefined
      return { ...UNOWNED, tenant_id: entry.tenant_id, human_ref: entry.owner ?? '' }
    }
    case 'webhook': {
      const entry = await reader.registry.entry('webhook', id)
      return entry?.document === undefined ? undefined : { ...UNOWNED, tenant_id: entry.tenant_id }
    }
    case 'vouch': {
      const found = await reader.trust.vouch(id)
      // Both ends of a vouch may see it; only the person who vouches may change it.
      return found && { ...UNOWNED, tenant_id: found.tenant_id, human_ref: found.from, approvers: [found.to] }
    }
    case 'agent':
      return undefined
  }
}

/** Operators of the default tenant manage the keys and settings of every tenant. */
function managesAllTenants({ role, tenant_id }: KnownCaller): boolean {
  return role === 'operator' && tenant_id === DEFAULT_TENANT
}

/**
 * Whether a tenant knows a person: a token of the tenant acts for them, or they have signed in, enrolled or been
 * verified there. A ref belongs to one tenant: that of a sign-in, or else of its first token. What another tenant has
 * stored under it gives that tenant no rights. Must be checked before acting on a ref that a caller names.
 */
export async function isKnownPerson(
  human_ref: string,
  tenant_id: string,
  reader: Pick<ReadStore, 'tokens' | 'registry' | 'firstTenant'>,
): Promise<boolean> {
  const newest = { limit: 1, before: undefined }
  const hasToken = async (more: { readonly tenant_id?: string }) =>
    (await reader.tokens({ ...EVERY_TOKEN, human_ref, ...more }, newest)).entries.length > 0
  if ((await hasToken({ tenant_id })) && (await reader.firstTenant(human_ref)) === tenant_id) return true
  const ofPerson = { tenant_id, owner: human_ref }
  const hasEntry = async (kind: RegistryKind) =>
    (await reader.registry.list(kind, ofPerson, newest)).entries.length > 0
  for (const kind of SIGN_IN_KINDS) if (await hasEntry(kind)) return true
  const address = await reader.registry.entry('identity', human_ref)
  if (address?.document !== undefined && address.tenant_id === tenant_id) return true
  if (await hasToken({})) return false
  for (const kind of CAPTURE_KINDS) if (await hasEntry(kind)) return true
  return false
}

function tokenOwnership(chain: Chain | undefined): Ownership | undefined {
  if (chain === undefined) return undefined
  const { token } = chain[0]
  return ownershipByToken({ ...token, vat_jti: token.jti })
}

/** Reads a watched record again, because `is_watched` changes, though only from true to false. */
async function recordOwnership(aar_id: string, reader: ReadStore): Promise<Ownership | undefined> {
  const ownership = ownershipByToken(await reader.standing.record(aar_id))
  return ownership?.is_watched === true ? ownershipByToken(await reader.record(aar_id)) : ownership
}

interface MadeByToken {
  readonly vat_jti: string
  readonly agent_id: string
  readonly human_ref: string
  readonly provenance_ref: string
  readonly evidence?: Evidence
  readonly state?: string
  readonly approvers?: readonly RequiredApprovers[]
}

function ownershipByToken(entry: MadeByToken | undefined): Ownership | undefined {
  if (entry === undefined) return undefined
  const { vat_jti, agent_id, human_ref, provenance_ref, evidence, state, approvers: named = [] } = entry
  const approvers = named.flatMap(({ people = [] }) => people)
  const is_watched = evidence === 'observed' && state === 'pending'
  return { tenant_id: tenantOf(agent_id), human_ref, provenance_ref, jti: vat_jti, approvers, is_watched }
}
