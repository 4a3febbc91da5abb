import type { Caller } from '../access/caller.ts'

/** In keyed mode, the largest shares of all places that one tenant and one caller can take. */
const PART_OF_TENANT = 1 / 2
const PART_OF_CALLER = 1 / 10

/**
 * Counts places on this node that many callers share. No caller and no tenant can take all of them, however many keys,
 * people and agents the tenant has.
 */
export class SharedPlaces {
  readonly #most: number
  readonly #callers = new Map<string, number>()
  readonly #tenants = new Map<string, number>()
  #count = 0

  constructor(most: number) {
    this.#most = most
  }

  get count(): number {
    return this.#count
  }

  /**
   * Takes a place and returns a function that gives it back. Undefined if the caller or its tenant has its share, or if
   * all places are taken.
   */
  take({ role, name, tenant_id }: Pick<Caller, 'role' | 'name' | 'tenant_id'>): (() => void) | undefined {
    if (this.#count >= this.#most) return undefined
    const isBounded = role !== 'local'
    if (isBounded && (this.#tenants.get(tenant_id) ?? 0) >= this.#most * PART_OF_TENANT) return undefined
    if (isBounded && (this.#callers.get(name) ?? 0) >= this.#most * PART_OF_CALLER) return undefined
    this.#add(name, tenant_id, 1)
    let isTaken = true
    return () => {
      if (isTaken) this.#add(name, tenant_id, -1)
      isTaken = false
    }
  }

  #add(name: string, tenant_id: string, places: 1 | -1): void {
    this.#count += places
    for (const [counts, key] of [
      [this.#callers, name],
      [this.#tenants, tenant_id],
    ] as const) {
      const left = (counts.get(key) ?? 0) + places
      if (left === 0) counts.delete(key)
      else counts.set(key, left)
    }
  }
}
