import type { DeliveryStore } from './deliveries.ts'
import type { ReadStore } from './port.ts'

/** What another thread needs to open the store for itself. */
export type StoreAddress =
  | {
      readonly store: 'sqlite'
      readonly file: string
      readonly deliveries_file: string
      readonly vault_key: Uint8Array
    }
  | {
      readonly store: 'postgres'
      readonly url: string
      readonly connections: number
      readonly vault_key: Uint8Array
    }

export interface OpenedStores {
  readonly reader: ReadStore
  readonly deliveries: DeliveryStore
  close(): Promise<void>
}

/** Opens the store with its own connections. Loads only the code of that store. */
export async function openElsewhere(
  address: StoreAddress,
  onAway: (cause: unknown) => void,
): Promise<OpenedStores> {
  switch (address.store) {
    case 'sqlite': {
      const { sqliteReadStore } = await import('./sqlite/read/read-store.ts')
      const { sqliteDeliveries } = await import('./sqlite/deliveries.ts')
      const reader = sqliteReadStore(address.file, address.vault_key)
      const deliveries = sqliteDeliveries(address.deliveries_file, address.vault_key)
      return {
        reader,
        deliveries,
        async close() {
          await deliveries.close()
          await reader.close()
        },
      }
    }
    case 'postgres': {
      const { primaryPool } = await import('./postgres/connect.ts')
      const { postgresReadStore } = await import('./postgres/read/read-store.ts')
      const { postgresDeliveries } = await import('./postgres/deliveries.ts')
      const { refusingWhenAway } = await import('./postgres/availability.ts')
      const pool = primaryPool(address.url, 'events', address.connections)
      const reader = postgresReadStore(pool, address.vault_key)
      return {
        reader: refusingWhenAway(reader, onAway),
        deliveries: refusingWhenAway(postgresDeliveries(pool, address.vault_key), onAway),
        close: () => reader.close(), // ends the pool
      }
    }
  }
}
