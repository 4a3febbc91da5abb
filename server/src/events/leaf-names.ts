import { DEFAULT_TENANT, shownAgent, tenantOf, tokenRef } from '@deputize/protocol'
import type { Leaf } from '../log/leaf.ts'
import { CAPTURE_KINDS, SIGN_IN_KINDS } from '../store/person-entries.ts'
import { EVERY_TOKEN } from '../store/port/filters.ts'
import type { RegistryKind } from '../store/port/registry.ts'
import type { ReadStore } from '../store/port.ts'
import type { AudienceFacts } from './audience.ts'
import type { LeafNames } from './event.ts'
import type { EventNumbers } from './event-numbers.ts'

/** What is known about a leaf before its event is built: who may see it, and what it is about. */
export interface LeafSubject extends AudienceFacts {
  readonly names: Omit<LeafNames, 'tenant_id' | 'number' | 'vat_jti' | 'above_jti'>
  /** The token that it is about, by its name in the log. */
  readonly token_ref: string | undefined
}

/** The action or approval that a later leaf names only by its ID. */
interface Origin {
  readonly token_ref: string
  readonly action: string
  readonly resource: string
}

interface WorkflowOwner {
  readonly tenant_id: string
  readonly human_ref: string
}

/**
 * Everything that is remembered is immutable and small: no text that a person wrote, and nothing that an erasure
 * destroys.
 */
const MOST_REMEMBERED = 20_000

const AGENT = 'agent:'

/**
 * Finds what leaves omit: the person of a workflow, the ID of a token, what a completed action was. Remembers what it
 * finds, so that most leaves need no read.
 */
export class LeafNameReader {
  readonly numbers: EventNumbers
  readonly #reader: ReadStore
  readonly #owners = new Remembered<WorkflowOwner>(MOST_REMEMBERED)
  readonly #origins = new Remembered<Origin>(MOST_REMEMBERED)
  readonly #jtis = new Remembered<string>(MOST_REMEMBERED)
  readonly #paths = new Remembered<readonly string[]>(MOST_REMEMBERED)
  readonly #tenants = new Remembered<string>(MOST_REMEMBERED)
  /** People without stored data, and the size of the log at that time. */
  readonly #absent = new Remembered<number>(MOST_REMEMBERED)

  constructor(reader: ReadStore, numbers: EventNumbers) {
    this.#reader = reader
    this.numbers = numbers
  }

  /** What a leaf is about and who may see it. If that can't be found, the subject has no tenant. */
  subjectOf(leaf: Leaf): LeafSubject | Promise<LeafSubject> {
    const { provenance_ref, type } = leaf
    if (typeof provenance_ref === 'string') {
      const owner = this.#owners.get(provenance_ref)
      const origin = this.#knownOrigin(leaf)
      if (owner !== undefined && origin !== undefined) return workflowSubject(leaf, owner, origin)
      return this.#findWorkflowSubject(leaf, provenance_ref)
    }
    if (type === 'vouch.changed' || type === 'vouch.withdrawn') return this.#vouchSubject(leaf)
    if (type.startsWith('human.')) return this.#personSubject(leaf)
    return plainSubject(leaf)
  }

  /** The ID of the token that a leaf is about. */
  async jtiOf(
    leaf: Leaf,
    { token_ref }: Pick<LeafSubject, 'token_ref'>,
    log_index: number,
  ): Promise<string | undefined> {
    const { provenance_ref } = leaf
    if (token_ref === undefined || typeof provenance_ref !== 'string') return undefined
    const known = this.#jtis.get(token_ref)
    if (known !== undefined) return known
    if (CREATES_TOKEN.has(leaf.type)) await this.#rememberCreated(provenance_ref, log_index)
    return this.#jtis.get(token_ref) ?? (await this.#findJti(leaf, provenance_ref, log_index))
  }

  /** The ID of the token directly above a new one. */
  async aboveJtiOf(leaf: Leaf, log_index: number): Promise<string | undefined> {
    const { above, provenance_ref } = leaf
    if (typeof above !== 'string' || typeof provenance_ref !== 'string') return undefined
    const known = this.#jtis.get(above)
    if (known !== undefined) return known
    await this.#rememberCreated(provenance_ref, log_index)
    return this.#jtis.get(above)
  }

  /** The token that a leaf is about and every token above it, by their names in the log. */
  async pathOf(leaf: Leaf, subject: LeafSubject, log_index: number): Promise<readonly string[]> {
    const { token_ref } = subject
    if (token_ref === undefined) return []
    const known = this.#paths.get(token_ref)
    if (known !== undefined) return known
    const jti = await this.jtiOf(leaf, subject, log_index)
    const chain = jti === undefined ? undefined : await this.#reader.chain(jti)
    if (chain === undefined) return []
    return this.#paths.set(
      token_ref,
      chain.map(({ token }) => tokenRef(token.jti)),
    )
  }

  /** What the leaf says about its action, or what is remembered about it. Undefined if it must be looked up. */
  #knownOrigin(leaf: Leaf): Origin | NoOrigin | undefined {
    const { type, aar_id, token, action, resource } = leaf
    if (NAMES_ACTION_BY_ID.has(type))
      return typeof aar_id === 'string' ? this.#origins.get(aar_id) : NO_ORIGIN
    if (type.startsWith('approval.')) return undefined
    if (type === 'action.authorized' && typeof aar_id === 'string' && typeof token === 'string')
      this.#origins.set(aar_id, { token_ref: token, action: String(action), resource: String(resource) })
    return NO_ORIGIN
  }

  async #findWorkflowSubject(leaf: Leaf, provenance_ref: string): Promise<LeafSubject> {
    const owner = this.#owners.get(provenance_ref) ?? (await this.#findOwner(provenance_ref))
    if (owner === undefined) return unknownSubject(leaf)
    if (leaf.type.startsWith('approval.')) return this.#approvalSubject(leaf, owner)
    const origin = this.#knownOrigin(leaf) ?? (await this.#findOrigin(String(leaf.aar_id)))
    return workflowSubject(leaf, owner, origin ?? NO_ORIGIN)
  }

  async #findOwner(provenance_ref: string): Promise<WorkflowOwner | undefined> {
    const facts = await this.#reader.workflows.facts(provenance_ref)
    if (facts === undefined) return undefined
    const { human_ref, agent_id } = facts
    return this.#owners.set(provenance_ref, { human_ref, tenant_id: tenantOf(agent_id) })
  }

  async #findOrigin(aar_id: string): Promise<Origin | undefined> {
    const record = await this.#reader.record(aar_id)
    if (record === undefined) return undefined
    const { vat_jti, action, resource } = record
    return this.#origins.set(aar_id, { token_ref: this.#remember(vat_jti), action, resource })
  }

  /** People that the token names as approvers see an approval like its owner does. */
  async #approvalSubject(leaf: Leaf, owner: WorkflowOwner): Promise<LeafSubject> {
    const approval = await this.#reader.approval(String(leaf.approval_id))
    if (approval === undefined) return workflowSubject(leaf, owner, NO_ORIGIN)
    const { vat_jti, action, resource, agent_id, approvers } = approval
    const subject = workflowSubject(leaf, owner, { token_ref: this.#remember(vat_jti), action, resource })
    return {
      ...subject,
      names: { ...subject.names, agent_id },
      human_refs: [owner.human_ref, ...approvers.flatMap(({ people = [] }) => people)],
      reviewers: approvers.length === 0 || approvers.some(({ role }) => role === 'reviewer'),
    }
  }

  async #vouchSubject(leaf: Leaf): Promise<LeafSubject> {
    const vouch = await this.#reader.trust.vouch(String(leaf.vouch_id))
    return vouch === undefined ? unknownSubject(leaf) : vouchSubject(vouch.tenant_id, vouch.from, vouch.to)
  }

  /** The tenant of a person. Their ref is a digest, so the tenant follows from their stored data. */
  async tenantOfPerson(human_ref: string): Promise<string | undefined> {
    return this.#tenants.get(human_ref) ?? (await this.#findTenant(human_ref))
  }

  /**
   * The tenant of a person that a leaf revokes, in a log of this size. A person without stored data is looked up again
   * only for a later leaf, because earlier leaves revoke nothing that the person has got since.
   */
  async tenantOfRevoked(human_ref: string, log_index: number, log_size: number): Promise<string | undefined> {
    const known = this.#tenants.get(human_ref)
    if (known !== undefined || log_index < (this.#absent.get(human_ref) ?? 0)) return known
    const found = await this.#findTenant(human_ref)
    if (found === undefined) this.#absent.set(human_ref, log_size)
    return found
  }

  async #personSubject(leaf: Leaf): Promise<LeafSubject> {
    const human_ref = String(leaf.human_ref)
    const tenant_id = await this.tenantOfPerson(human_ref)
    return { tenant_id, human_refs: [human_ref], names: { human_ref }, token_ref: undefined }
  }

  /**
   * A ref belongs to the tenant of a sign-in, which may have proved it as an address, or else of its first token, or
   * else of a capture. An earlier version let other tenants store tokens under it, which must not give them events that
   * belong to the person's tenant.
   */
  async #findTenant(human_ref: string): Promise<string | undefined> {
    const tenant_id =
      (await this.#tenantOfEntry(human_ref, SIGN_IN_KINDS)) ??
      (await this.#tenantOfAddress(human_ref)) ??
      (await this.#reader.firstTenant(human_ref)) ??
      (await this.#tenantOfEntry(human_ref, CAPTURE_KINDS))
    return tenant_id === undefined ? undefined : this.#tenants.set(human_ref, tenant_id)
  }

  async #tenantOfAddress(human_ref: string): Promise<string | undefined> {
    const proven = await this.#reader.registry.entry('identity', human_ref)
    return proven?.document === undefined ? undefined : proven.tenant_id
  }

  async #tenantOfEntry(owner: string, kinds: readonly RegistryKind[]): Promise<string | undefined> {
    for (const kind of kinds) {
      const { entries } = await this.#reader.registry.list(kind, { owner }, { limit: 1, before: undefined })
      if (entries[0] !== undefined) return entries[0].tenant_id
    }
    return undefined
  }

  #remember(jti: string): string {
    const ref = tokenRef(jti)
    this.#jtis.set(ref, jti)
    return ref
  }

  async #findJti(leaf: Leaf, provenance_ref: string, log_index: number): Promise<string | undefined> {
    const { aar_id, denial_id } = leaf
    const jti =
      typeof aar_id === 'string'
        ? (await this.#reader.record(aar_id))?.vat_jti
        : typeof denial_id === 'string'
          ? (await this.#reader.denial(denial_id))?.vat_jti
          : await this.#reader.workflows.tokenAt(provenance_ref, log_index)
    if (jti !== undefined) this.#remember(jti)
    return jti
  }

  /**
   * Finds the token that a leaf created, with its chain. Pages end at a token's number, which is unknown here. But
   * numbers are in log order, so a binary search finds it in about 20 reads, and usually it is the newest.
   */
  async #rememberCreated(provenance_ref: string, log_index: number): Promise<void> {
    const filter = { ...EVERY_TOKEN, provenance_ref }
    let low = 1
    let high = log_index + 2 // no token has a larger number than its leaf, plus one
    for (let before: number | undefined; low <= high; before = Math.floor((low + high) / 2)) {
      const { entries } = await this.#reader.tokens(filter, { limit: 1, before })
      const [chain] = entries
      if (chain?.[0].token.log_index === log_index) {
        for (const { token } of chain) this.#remember(token.jti)
        return
      }
      if (before === undefined) continue
      if (chain === undefined || chain[0].token.log_index < log_index) low = before + 1
      else high = before - 1
    }
  }
}

/** Leaves that create a token. The token has the same log index. */
const CREATES_TOKEN: ReadonlySet<string> = new Set(['token.issued', 'token.delegated', 'token.renewed'])

/** Leaves that name an action only by its ID. */
const NAMES_ACTION_BY_ID: ReadonlySet<string> = new Set([
  'action.completed',
  'action.cancelled',
  'action.expired',
  'action.rated',
])

/** No origin is needed: the leaf itself says what it is about. */
interface NoOrigin {
  readonly token_ref?: undefined
  readonly action?: undefined
  readonly resource?: undefined
}
const NO_ORIGIN: NoOrigin = {}

function workflowSubject(
  leaf: Leaf,
  { tenant_id, human_ref }: WorkflowOwner,
  { token_ref, action, resource }: Origin | NoOrigin,
): LeafSubject {
  return {
    tenant_id,
    human_refs: [human_ref],
    names: { human_ref, agent_id: agentIn(leaf), action, resource },
    token_ref: token_ref ?? (typeof leaf.token === 'string' ? leaf.token : undefined),
  }
}

/** The subject of a leaf that names its tenant or its agent, or that concerns the whole deployment. */
function plainSubject(leaf: Leaf): LeafSubject {
  const { type, tenant_id, human_ref, from, to } = leaf
  const agent_id = agentIn(leaf)
  if (type === 'vouch.made') return vouchSubject(String(tenant_id), String(from), subjectIn(to))
  return {
    tenant_id: tenantIn(leaf, agent_id),
    human_refs: typeof human_ref === 'string' ? [human_ref] : [],
    names: { agent_id },
    token_ref: undefined,
  }
}

const OF_DEPLOYMENT: ReadonlySet<string> = new Set([
  'key.rotated',
  'key.withdrawn',
  'access.changed',
  'deployment.restored',
])

function tenantIn({ type, tenant_id }: Leaf, agent_id: string | undefined): string | undefined {
  if (typeof tenant_id === 'string') return tenant_id
  if (agent_id !== undefined) return tenantOf(agent_id)
  return OF_DEPLOYMENT.has(type) ? DEFAULT_TENANT : undefined
}

/** A subject without a tenant. Fails closed: only those who may read the log itself see the event. */
function unknownSubject(leaf: Leaf): LeafSubject {
  return { tenant_id: undefined, human_refs: [], names: { agent_id: agentIn(leaf) }, token_ref: undefined }
}

function vouchSubject(tenant_id: string, from: string, to: string): LeafSubject {
  const isAgent = to.startsWith(AGENT)
  return {
    tenant_id,
    human_refs: isAgent ? [from] : [from, to],
    names: { from, to: isAgent ? shownAgent(to.slice(AGENT.length)) : to },
    token_ref: undefined,
  }
}

function subjectIn(to: unknown): string {
  if (typeof to !== 'object' || to === null) return ''
  return 'agent_id' in to ? String(to.agent_id) : 'human_ref' in to ? String(to.human_ref) : ''
}

function agentIn({ agent_id }: Leaf): string | undefined {
  return typeof agent_id === 'string' ? agent_id.slice(AGENT.length) : undefined
}

/** A map with a bounded number of entries. When it is full, it forgets the older half. */
class Remembered<T> {
  readonly #most: number
  #young = new Map<string, T>()
  #old = new Map<string, T>()

  constructor(most: number) {
    this.#most = most / 2
  }

  get(key: string): T | undefined {
    return this.#young.get(key) ?? this.#old.get(key)
  }

  set(key: string, value: T): T {
    if (this.#young.size >= this.#most) {
      this.#old = this.#young
      this.#young = new Map()
    }
    this.#young.set(key, value)
    return value
  }
}
