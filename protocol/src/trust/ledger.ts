import { isObject } from '../encoding/json.ts'
import type { LogEntryContent } from '../log/entry.ts'
import { tenantOf } from '../token/agent-name.ts'
import { affectedAgents } from './affected-agents.ts'
import { MILLION } from './capacity.ts'
import { TrustGraph } from './graph.ts'
import { instantMs } from './instant.ts'
import { VERIFICATION_STANDS_MS } from './leaves.ts'
import { PriorityQueue } from './priority-queue.ts'

/** What people verified at a level add as anchors. L1 makes no anchors: an email address costs nothing. */
const BASES: ReadonlyMap<unknown, number> = new Map([
  ['L2', 700_000],
  ['L3', 950_000],
])
const LEAST_WEIGHT = 10_000
const CONTEXT = /^[a-z0-9_-]{1,32}$/
const RATINGS = ['approved', 'flagged', 'rejected'] as const

/** What makes a person an anchor. */
interface Standing {
  /** When their verification at L2 and at L3 expires, in milliseconds since 1970; 0 without one. */
  L2: number
  L3: number
  /** The base that an operator set. */
  named: number | undefined
}

/** A person or an agent, named as in leaves. */
export interface TenantSubject {
  readonly tenant_id: string
  readonly subject: string
}

/**
 * The trust graph as of the last leaf applied. `leaves.ts` says which leaves it reads. It doesn't trust the log: a leaf
 * that breaks the rules changes nothing, so a score never counts a vouch that could not have been made. One graph holds
 * all tenants, and no vouch crosses from one to another.
 */
export class TrustLedger {
  readonly graph = new TrustGraph()
  readonly #standings = new Map<number, Standing>()
  readonly #tenants = new Map<number, string>()
  readonly #ends = new Map<number, number>()
  /** Vouches and people, ordered by when the vouch or the verification ends, earliest first. */
  readonly #ending_vouches = new PriorityQueue()
  readonly #ending_verifications = new PriorityQueue()
  #touched = new Set<number>()
  #rated = new Set<number>()
  #size = 0
  #now_ms = 0

  /** How many leaves were applied. */
  get size(): number {
    return this.#size
  }

  /** Applies the next leaf of the log. */
  apply(leaf: LogEntryContent): void {
    this.#size += 1
    this.#now_ms = Math.max(this.#now_ms, instantMs(leaf.at) ?? 0)
    this.#endWhatIsOver()
    this.#appliers.get(leaf.type)?.(leaf)
  }

  /** Every person and agent with a standing vouch, named as in leaves. */
  vouchedSubjects(): TenantSubject[] {
    const { graph } = this
    return [...this.#tenants]
      .filter(([node]) => graph.insOf(node).some((vouch) => graph.isStanding(vouch)))
      .map(([node, tenant_id]) => ({ tenant_id, subject: graph.nameOf(node) }))
  }

  /** The tenant of a person or an agent; undefined if no leaf named them. */
  tenantOf(subject: string): string | undefined {
    const node = this.graph.nodeOf(subject)
    return node === undefined ? undefined : this.#tenants.get(node)
  }

  /** The agents whose scores may have changed since the last call, named as in leaves. */
  takeAffectedAgents(): string[] {
    const agents = affectedAgents(this.graph, this.#touched, this.#rated)
    this.#touched = new Set()
    this.#rated = new Set()
    return agents
  }

  readonly #appliers: ReadonlyMap<string, (leaf: LogEntryContent) => void> = new Map([
    ['session.begun', (leaf) => this.#verify(leaf, leaf.tenant_id)],
    ['token.issued', (leaf) => this.#verify(leaf, tenantOfAgent(leaf.agent_id))],
    ['registry.changed', (leaf) => this.#endVerification(leaf)],
    ['human.erased', (leaf) => this.#erase(leaf)],
    ['anchor.named', (leaf) => this.#nameAnchor(leaf)],
    ['anchor.removed', (leaf) => this.#removeAnchor(leaf)],
    ['vouch.made', (leaf) => this.#makeVouch(leaf)],
    ['vouch.changed', (leaf) => this.#changeVouch(leaf)],
    ['vouch.withdrawn', (leaf) => this.#withdrawVouch(leaf)],
    ['action.rated', (leaf) => this.#rate(leaf)],
  ])

  #verify({ human_ref, assurance_level: level }: LogEntryContent, tenant_id: unknown): void {
    if (level !== 'L2' && level !== 'L3') return
    const person = this.#personOf(human_ref, tenant_id)
    if (person === undefined) return
    const until_ms = this.#now_ms + VERIFICATION_STANDS_MS
    this.#standingOf(person)[level] = until_ms
    this.#ending_verifications.add(person, -until_ms)
    this.#setBase(person)
  }

  #endVerification({ kind, human_ref, removed, withdraws }: LogEntryContent): void {
    const level = kind === 'biometric' && removed === true ? 'L3' : withdraws
    if ((level !== 'L2' && level !== 'L3') || typeof human_ref !== 'string') return
    const person = this.graph.nodeOf(human_ref)
    const standing = person === undefined ? undefined : this.#standings.get(person)
    if (person === undefined || standing === undefined) return
    standing[level] = 0
    this.#setBase(person)
  }

  #erase({ human_ref }: LogEntryContent): void {
    const person = typeof human_ref === 'string' ? this.graph.nodeOf(human_ref) : undefined
    if (person === undefined) return
    // A base of 0 survives: people must not undo it by erasing themselves and signing in again.
    const isTakenOut = this.#standings.get(person)?.named === 0
    this.#standings.delete(person)
    if (isTakenOut) this.#standingOf(person).named = 0
    this.#setBase(person)
    const { graph } = this
    for (const vouch of [
      ...graph.insOf(person),
      ...graph.outsToPeople(person),
      ...graph.outsToAgents(person),
    ])
      this.#end(vouch)
  }

  #nameAnchor({ human_ref, tenant_id, base }: LogEntryContent): void {
    if (!isMillionths(base)) return
    const person = this.#personOf(human_ref, tenant_id)
    if (person === undefined) return
    this.#standingOf(person).named = base
    this.#setBase(person)
  }

  #removeAnchor({ human_ref, tenant_id }: LogEntryContent): void {
    const person = this.#personOf(human_ref, tenant_id)
    const standing = person === undefined ? undefined : this.#standings.get(person)
    if (person === undefined || standing === undefined) return
    standing.named = undefined
    this.#setBase(person)
  }

  #makeVouch({ vouch_id, tenant_id, from, to, weight, context, expires_at }: LogEntryContent): void {
    if (typeof vouch_id !== 'string' || this.graph.vouchOf(vouch_id) !== undefined) return
    if (!isWeight(weight) || !isContext(context)) return
    const ends_ms = this.#endOf(expires_at)
    if (ends_ms === undefined) return
    const voucher = this.#personOf(from, tenant_id)
    const subject = this.#subjectOf(to, tenant_id)
    if (voucher === undefined || subject === undefined || voucher === subject) return
    if (this.#vouchBetween(voucher, subject, context) !== undefined) return
    const vouch = this.graph.addVouch({
      vouch_id,
      from: this.graph.nameOf(voucher),
      to: this.graph.nameOf(subject),
      weight,
      context,
    })
    this.#setEnd(vouch, ends_ms)
    this.#touched.add(subject)
  }

  #changeVouch({ vouch_id, weight, expires_at }: LogEntryContent): void {
    const vouch = this.#standingVouch(vouch_id)
    const ends_ms = this.#endOf(expires_at)
    if (vouch === undefined || ends_ms === undefined || !isWeight(weight)) return
    this.graph.changeWeight(vouch, weight)
    this.#setEnd(vouch, ends_ms)
    this.#touched.add(this.graph.toOf(vouch))
  }

  #withdrawVouch({ vouch_id }: LogEntryContent): void {
    const vouch = this.#standingVouch(vouch_id)
    if (vouch !== undefined) this.#end(vouch)
  }

  #rate({ agent_id, rating: given }: LogEntryContent): void {
    const rating = RATINGS.find((one) => one === given)
    if (rating === undefined || tenantOfAgent(agent_id) === undefined || typeof agent_id !== 'string') return
    const agent = this.graph.addNode(agent_id)
    this.graph.rate(agent, rating)
    this.#rated.add(agent)
  }

  #endWhatIsOver(): void {
    for (const vouch of takeUntil(this.#ending_vouches, this.#now_ms))
      if ((this.#ends.get(vouch) ?? Number.POSITIVE_INFINITY) <= this.#now_ms) this.#end(vouch)
    for (const person of takeUntil(this.#ending_verifications, this.#now_ms)) this.#setBase(person)
  }

  #end(vouch: number): void {
    this.#ends.delete(vouch)
    this.#touched.add(this.graph.toOf(vouch))
    this.graph.endVouch(vouch)
  }

  #setEnd(vouch: number, ends_ms: number): void {
    this.#ends.delete(vouch)
    if (ends_ms === Number.POSITIVE_INFINITY) return
    this.#ends.set(vouch, ends_ms)
    this.#ending_vouches.add(vouch, -ends_ms)
  }

  /** Infinity if the vouch doesn't expire; undefined if `expires_at` is invalid or in the past. */
  #endOf(expires_at: unknown): number | undefined {
    if (expires_at === undefined) return Number.POSITIVE_INFINITY
    const ends_ms = instantMs(expires_at)
    return ends_ms === undefined || ends_ms <= this.#now_ms ? undefined : ends_ms
  }

  #setBase(person: number): void {
    const { L2 = 0, L3 = 0, named } = this.#standings.get(person) ?? {}
    const level = L3 > this.#now_ms ? 'L3' : L2 > this.#now_ms ? 'L2' : undefined
    const base = named ?? BASES.get(level) ?? 0
    // Most sign-ins are of people who are anchors already. They change no score.
    if (this.graph.baseOf(person) === base) return
    this.graph.setBase(person, base)
    this.#touched.add(person)
  }

  #standingOf(person: number): Standing {
    const standing = this.#standings.get(person) ?? { L2: 0, L3: 0, named: undefined }
    this.#standings.set(person, standing)
    return standing
  }

  #standingVouch(vouch_id: unknown): number | undefined {
    return typeof vouch_id === 'string' ? this.graph.vouchOf(vouch_id) : undefined
  }

  /** The node of a person of this tenant, added if new; undefined for an invalid name or a person of another tenant. */
  #personOf(human_ref: unknown, tenant_id: unknown): number | undefined {
    if (typeof human_ref !== 'string' || human_ref === '' || human_ref.startsWith('agent:')) return undefined
    return this.#nodeIn(human_ref, tenant_id)
  }

  #subjectOf(to: unknown, tenant_id: unknown): number | undefined {
    if (!isObject(to)) return undefined
    const { human_ref, agent_id } = to
    if (agent_id === undefined) return this.#personOf(human_ref, tenant_id)
    if (typeof agent_id !== 'string' || human_ref !== undefined) return undefined
    return tenantOfAgent(agent_id) === tenant_id ? this.#nodeIn(agent_id, tenant_id) : undefined
  }

  #nodeIn(name: string, tenant_id: unknown): number | undefined {
    if (typeof tenant_id !== 'string') return undefined
    const node = this.graph.addNode(name)
    const known = this.#tenants.get(node)
    if (known !== undefined) return known === tenant_id ? node : undefined
    this.#tenants.set(node, tenant_id)
    return node
  }

  #vouchBetween(voucher: number, subject: number, context: string | undefined): number | undefined {
    const { graph } = this
    const number = graph.contextNumber(context)
    return graph.standingBetween(voucher, subject).find((vouch) => graph.contextOf(vouch) === number)
  }
}

/** Takes everything that ends at `now_ms` or before. */
function* takeUntil(queue: PriorityQueue, now_ms: number): Generator<number> {
  while (-(queue.peek() ?? Number.NEGATIVE_INFINITY) <= now_ms) {
    const next = queue.take()
    if (next !== undefined) yield next.item
  }
}

function tenantOfAgent(agent_id: unknown): string | undefined {
  if (typeof agent_id !== 'string' || !agent_id.startsWith('agent:')) return undefined
  return tenantOf(agent_id.slice('agent:'.length))
}

function isMillionths(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= MILLION
}

function isWeight(value: unknown): value is number {
  return isMillionths(value) && value >= LEAST_WEIGHT
}

function isContext(value: unknown): value is string | undefined {
  return value === undefined || (typeof value === 'string' && CONTEXT.test(value))
}
