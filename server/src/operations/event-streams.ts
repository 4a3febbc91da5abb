import { AuthorityError } from '@deputize/protocol'
import type { Caller } from '../access/caller.ts'

/** Streams that one node serves, and those of one tenant and one caller in keyed mode. Each holds a connection and little memory. */
const MOST_STREAMS = 2_500
const MOST_STREAMS_OF_TENANT = 1_250
const MOST_STREAMS_OF_CALLER = 250

/** Counts the open streams of this node. No tenant can take all of them, however many keys, people and agents it has. */
export class EventStreams {
  readonly #callers = new Map<string, number>()
  readonly #tenants = new Map<string, number>()
  #count = 0

  get count(): number {
    return this.#count
  }

  /** Refuses one too many. Returns what ends it. */
  begin({ role, name, tenant_id }: Caller): () => void {
    if (this.#count >= MOST_STREAMS) throw new AuthorityError('too_many_streams')
    const isBounded = role !== 'local'
    if (isBounded && (this.#tenants.get(tenant_id) ?? 0) >= MOST_STREAMS_OF_TENANT)
      throw new AuthorityError('too_many_streams')
    if (isBounded && (this.#callers.get(name) ?? 0) >= MOST_STREAMS_OF_CALLER)
      throw new AuthorityError('too_many_streams')
    this.#add(name, tenant_id, 1)
    let isOpen = true
    return () => {
      if (isOpen) this.#add(name, tenant_id, -1)
      isOpen = false
    }
  }

  #add(name: string, tenant_id: string, streams: 1 | -1): void {
    this.#count += streams
    for (const [counts, key] of [
      [this.#callers, name],
      [this.#tenants, tenant_id],
    ] as const) {
      const left = (counts.get(key) ?? 0) + streams
      if (left === 0) counts.delete(key)
      else counts.set(key, left)
    }
  }
}
