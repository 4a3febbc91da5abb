import { createHash, randomBytes } from 'node:crypto'
import { isIP } from 'node:net'
import type { SecurityEventKind } from '@deputize/protocol'
import { HOUR_MS } from '../domain/times/time.ts'
import { type EphemeralStore, putEphemeral } from '../store/ephemeral.ts'
import { ipv6Network, withoutPort } from './addresses.ts'
import type { Caller } from './caller.ts'

/** A call that was refused. */
export interface RefusedCall {
  readonly kind: SecurityEventKind
  readonly reason: string | undefined
  readonly caller: Caller
  readonly address: string
  readonly operation: string
}

/** Refusals of one kind that one caller got in one hour. */
export interface SecurityEventCount {
  readonly kind: SecurityEventKind
  readonly reason?: string
  readonly caller: string
  readonly network?: string
  readonly operation: string
  readonly hour: number
  readonly count: number
  readonly first_ms: number
  readonly last_ms: number
}

export interface SecurityEventQuery {
  readonly kind: SecurityEventKind | undefined
  readonly from_ms: number | undefined
  /** Where the previous page ended. */
  readonly before: number | undefined
  readonly limit: number
}

export interface SecurityEventPage {
  readonly entries: readonly SecurityEventCount[]
  readonly before: number | undefined
}

/** A place in the list, after `shown` of the counts that began at `at_ms`: several may begin at the same instant. */
interface Place {
  readonly at_ms: number
  readonly shown: number
}

/** More counts than begin at one instant. Places are stored as one number, a safe integer for centuries. */
const PLACES = 1024

const KEPT_HOURS = 7 * 24
/** Maximum number of hours that one page covers. */
const HOURS_PER_PAGE = 48
/** Callers and kinds that a node counts separately per tenant and hour. The rest are counted together, by kind. */
export const MOST_NAMED = 200
const WRITTEN_AFTER_MS = 5_000

export interface SecurityEventsOptions {
  readonly ephemeral: EphemeralStore
  readonly clock: () => number
  onTrouble(cause: unknown): void
}

/**
 * Counts refused calls by kind, caller and hour. A flood of refused calls raises numbers and adds a
 * bounded number of entries. Counts are written every few seconds, so that a refusal never waits for the store.
 */
export class SecurityEvents {
  readonly #options: SecurityEventsOptions
  /** Each node writes its own entries, which are added up when they are read. */
  readonly #node = randomBytes(6).toString('hex')
  /** This node's counts, by tenant and hour, then by `nameOf`. */
  readonly #hours = new Map<string, Map<string, SecurityEventCount>>()
  readonly #unwritten = new Map<string, { readonly owner: string; readonly count: SecurityEventCount }>()
  #timer: NodeJS.Timeout | undefined

  constructor(options: SecurityEventsOptions) {
    this.#options = options
  }

  note(call: RefusedCall): void {
    const now_ms = this.#options.clock()
    const hour = Math.floor(now_ms / HOUR_MS)
    const owner = ownerOf(call.caller.tenant_id, hour)
    const counts = this.#countsOf(owner, hour)
    const named = described(call)
    // Callers without a credential can come from any number of networks, so room is left for named credentials.
    const room = call.caller.role === 'public' ? MOST_NAMED / 2 : MOST_NAMED
    const isNamed = counts.has(nameOf(named)) || counts.size < room
    const event = isNamed ? named : { kind: call.kind, caller: 'others', operation: call.operation }
    const name = nameOf(event)
    const known = counts.get(name)
    const count = {
      ...event,
      operation: known?.operation ?? event.operation,
      hour,
      count: (known?.count ?? 0) + 1,
      first_ms: known?.first_ms ?? now_ms,
      last_ms: now_ms,
    }
    counts.set(name, count)
    this.#unwritten.set(`${owner} ${name}`, { owner, count })
    this.#timer ??= setTimeout(() => this.write().catch(this.#options.onTrouble), WRITTEN_AFTER_MS).unref()
  }

  /** Writes the counts. A crash before that loses the counts of the last seconds. */
  async write(): Promise<void> {
    clearTimeout(this.#timer)
    this.#timer = undefined
    const entries = [...this.#unwritten.values()]
    this.#unwritten.clear()
    for (const { owner, count } of entries) await this.#put(owner, count)
  }

  /** Returns the counts of all nodes, newest first. A page may be shorter than the limit although more follow. */
  async list(tenant_id: string, query: SecurityEventQuery): Promise<SecurityEventPage> {
    await this.write()
    const newest_ms = this.#options.clock()
    const first_hour = Math.floor(newest_ms / HOUR_MS) - KEPT_HOURS
    const bottom = Math.max(first_hour, Math.ceil((query.from_ms ?? 0) / HOUR_MS))
    const start = query.before === undefined ? undefined : placeOf(query.before)
    const found: SecurityEventCount[] = []
    let hour = Math.floor((start?.at_ms ?? newest_ms) / HOUR_MS)
    for (let looked = 0; hour >= bottom && looked < HOURS_PER_PAGE; looked += 1, hour -= 1) {
      const counts = await this.#hourOf(tenant_id, hour)
      const asked = counts.filter(({ kind }) => query.kind === undefined || kind === query.kind)
      found.push(...(start === undefined ? asked : countsAfter(start, asked)))
      if (found.length > query.limit) break
    }
    const entries = found.slice(0, query.limit)
    if (found.length > query.limit) return { entries, before: endOf(entries, start) }
    return {
      entries,
      before: hour >= bottom ? numberOf({ at_ms: (hour + 1) * HOUR_MS - 1, shown: 0 }) : undefined,
    }
  }

  close(): Promise<void> {
    return this.write()
  }

  /** Returns the counts of an hour, and forgets those of earlier hours. */
  #countsOf(owner: string, hour: number): Map<string, SecurityEventCount> {
    const known = this.#hours.get(owner)
    if (known !== undefined) return known
    for (const [other, counts] of this.#hours)
      if ([...counts.values()].every((count) => count.hour < hour)) this.#hours.delete(other)
    const counts = new Map<string, SecurityEventCount>()
    this.#hours.set(owner, counts)
    return counts
  }

  async #put(owner: string, count: SecurityEventCount): Promise<void> {
    const { ephemeral } = this.#options
    const key = digestOf(`${this.#node} ${owner} ${nameOf(count)}`)
    const expires_at_ms = (count.hour + 1 + KEPT_HOURS) * HOUR_MS
    const entry = { key, value: JSON.stringify(count), owner, expires_at_ms }
    await putEphemeral(ephemeral, 'security_event', entry)
  }

  async #hourOf(tenant_id: string, hour: number): Promise<SecurityEventCount[]> {
    const entries = await this.#options.ephemeral.ofOwner('security_event', ownerOf(tenant_id, hour))
    const sums = new Map<string, SecurityEventCount>()
    for (const { value } of entries) {
      const count: SecurityEventCount = JSON.parse(value) // only this class writes such entries
      const known = sums.get(nameOf(count))
      sums.set(nameOf(count), known === undefined ? count : sumOf(known, count))
    }
    return [...sums.values()].sort(
      (one, other) => other.first_ms - one.first_ms || (nameOf(one) < nameOf(other) ? -1 : 1),
    )
  }
}

function placeOf(before: number): Place {
  return { at_ms: Math.floor(before / PLACES), shown: before % PLACES }
}

function numberOf({ at_ms, shown }: Place): number {
  return at_ms * PLACES + shown
}

/** Returns those of the counts of an hour, newest first, that come after a place. */
function countsAfter({ at_ms, shown }: Place, counts: readonly SecurityEventCount[]): SecurityEventCount[] {
  const earlier = counts.filter(({ first_ms }) => first_ms < at_ms)
  return [...counts.filter(({ first_ms }) => first_ms === at_ms).slice(shown), ...earlier]
}

/** Returns the place after the last entry of a page that began at `start`. */
function endOf(entries: readonly SecurityEventCount[], start: Place | undefined): number | undefined {
  const at_ms = entries.at(-1)?.first_ms
  if (at_ms === undefined) return undefined
  const before = start?.at_ms === at_ms ? start.shown : 0
  return numberOf({ at_ms, shown: before + entries.filter(({ first_ms }) => first_ms === at_ms).length })
}

function sumOf(one: SecurityEventCount, other: SecurityEventCount): SecurityEventCount {
  const first = one.first_ms <= other.first_ms ? one : other
  return {
    ...first,
    count: one.count + other.count,
    last_ms: Math.max(one.last_ms, other.last_ms),
  }
}

/** Names the caller without anything personal: credentials by their public names, others by a wide network. */
function described({ kind, reason, caller, address, operation }: RefusedCall) {
  return {
    kind,
    operation,
    ...(reason !== undefined && { reason }),
    ...(caller.role === 'public'
      ? { caller: 'public', network: networkOf(address) }
      : { caller: caller.role === 'human' ? `human:${caller.human_ref}` : caller.name }),
  }
}

/** Returns the first 24 bits of an IPv4 address or the first 48 of an IPv6 address: a network, not a person. */
export function networkOf(address: string): string {
  const plain = withoutPort(address).replace(/^::ffff:(?=\d+\.)/i, '')
  if (isIP(plain) === 4) return `${plain.split('.').slice(0, 3).join('.')}.0/24`
  if (isIP(plain) !== 6) return 'unknown'
  return ipv6Network(plain, 3)
}

function nameOf({
  kind,
  reason,
  caller,
  network,
}: Omit<SecurityEventCount, 'hour' | 'count' | 'first_ms' | 'last_ms'>): string {
  return JSON.stringify([kind, reason ?? null, caller, network ?? null])
}

function ownerOf(tenant_id: string, hour: number): string {
  return `security ${tenant_id} ${hour}`
}

function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('base64url')
}
