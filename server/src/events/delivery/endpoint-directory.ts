import type { KeptEntry, RegistryReader } from '../../store/port/registry.ts'
import type { Endpoint, EndpointKind } from './port.ts'

/** An endpoint, with the kind that sends to it. */
export interface KnownEndpoint {
  readonly kind: EndpointKind
  readonly endpoint: Endpoint
  /** The leaf of its document. The same index means the same document. */
  readonly log_index: number
}

/**
 * A change by another node shows in the newest leaf. A removal doesn't, so everything is reread once in this many
 * refreshes.
 */
const READ_ALL_EVERY = 15
const PAGE_LIMIT = 200

/** The endpoints of all kinds, from the registry. */
export class EndpointDirectory {
  readonly #kinds: readonly EndpointKind[]
  readonly #registry: RegistryReader
  #endpoints = new Map<string, KnownEndpoint>()
  #newest: readonly number[] = []
  #looks = 0

  constructor(kinds: readonly EndpointKind[], registry: RegistryReader) {
    this.#kinds = kinds
    this.#registry = registry
  }

  get size(): number {
    return this.#endpoints.size
  }

  find(endpoint_id: string): KnownEndpoint | undefined {
    return this.#endpoints.get(endpoint_id)
  }

  /** Reads what has changed. Returns the endpoints that are new. */
  async refresh(): Promise<readonly Endpoint[]> {
    const newest = await Promise.all(this.#kinds.map((kind) => this.#newestOf(kind)))
    const isDue = this.#looks++ % READ_ALL_EVERY === 0
    if (!isDue && newest.every((log_index, place) => log_index === this.#newest[place])) return []
    const before = this.#endpoints
    const found = new Map<string, KnownEndpoint>()
    for (const kind of this.#kinds)
      for await (const entry of this.#entries(kind))
        for (const endpoint of kind.endpointsOf(entry)) {
          const old = before.get(endpoint.endpoint_id)
          const { log_index } = entry
          found.set(endpoint.endpoint_id, old?.log_index === log_index ? old : { kind, endpoint, log_index })
        }
    this.#endpoints = found
    this.#newest = newest
    return [...found.values()].flatMap(({ endpoint }) => (before.has(endpoint.endpoint_id) ? [] : endpoint))
  }

  /** Makes the next refresh reread everything. Call it after a change on this node. */
  forget(): void {
    this.#looks = 0
  }

  async #newestOf({ registry_kind }: EndpointKind): Promise<number> {
    const page = await this.#registry.list(registry_kind, {}, { limit: 1, before: undefined })
    return page.entries[0]?.log_index ?? -1
  }

  async *#entries({ registry_kind }: EndpointKind): AsyncGenerator<KeptEntry> {
    let before: number | undefined
    do {
      const page = await this.#registry.list(registry_kind, {}, { limit: PAGE_LIMIT, before })
      yield* page.entries
      before = page.before
    } while (before !== undefined)
  }
}
