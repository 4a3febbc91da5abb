import type { ExecuteBatch } from '../clerk/clerk.ts'
import type { ThreadListener } from '../clerk/thread.ts'
import type { KeyRing } from '../keys/key-ring.ts'
import type { Peers } from '../log/checkpoint-signer.ts'
import type { DeliveryStore } from '../store/deliveries.ts'
import type { EphemeralStore } from '../store/ephemeral.ts'
import type { StoreAddress } from '../store/open-elsewhere.ts'
import type { ReadStore, StatusIndexes } from '../store/port.ts'
import type { Hint } from '../store/postgres/hints.ts'

export type { Hint }

/** The state of a cluster's database. */
export interface DatabaseFacts {
  /** Reads that wait for a connection. */
  readonly waiting: number
  /** Number of log entries that the standby has. Undefined without one, or while it is away. */
  readonly replica_entries: number | undefined
  /** Whether this node writes for all nodes. */
  readonly holds_lease: boolean
}

/** The keys and the store of a deployment, and the other nodes that use them. */
export interface Deployment {
  readonly keys: KeyRing
  readonly reader: ReadStore
  readonly ephemeral: EphemeralStore
  readonly deliveries: DeliveryStore
  /** The address for opening the store again in another thread. */
  readonly elsewhere: StoreAddress
  readonly execute: ExecuteBatch
  /** Whether `onHint` is called when other threads can read what was acknowledged. Otherwise they can at once. */
  readonly tells_growth?: boolean
  /** Present only with a database that nodes share. */
  readonly database?: () => Promise<DatabaseFacts>
  readonly statusIndexes: StatusIndexes
  /** Other nodes; undefined if this process is the only one. */
  readonly peers: Peers | undefined
  /** How often to retry while the store refuses writes. */
  readonly probe_every_ms: number
  readonly is_new: boolean
  /** Lines for the start screen. */
  readonly description: readonly StartLine[]
  /** Finishes the writes in progress and closes the store. */
  close(): Promise<void>
}

/** The log message for a row of ephemeral data that doesn't open. */
export const FOREIGN_EPHEMERAL =
  'ephemeral data was ignored: another program wrote or changed it in the database, or an older version of Deputy left it'

/** One line of the start screen. */
export interface StartLine {
  readonly name: string
  readonly text: string
}

export interface DeploymentListener extends ThreadListener {
  /** The store did not answer. The listener should probe whether it accepts writes. */
  onAway(cause: unknown): void
  /** A background task failed and will be retried. */
  onTrouble(cause: unknown, what: string): void
  /** The operators should know about something that is not a failure. */
  onNotice(what: string, about: object): void
  /** Another node sent a hint. */
  onHint(hint: Hint): void
}

/** Returns status list indexes for a single process, counted up from `start`. */
export function countFrom(start: number): StatusIndexes {
  let next = start
  return { next: () => next++ }
}

/**
 * Returns status list indexes for one of several nodes. Each reserves blocks; a crash leaves its block's rest unused.
 */
export function countInBlocks(reserve: (count: number) => Promise<number>, size: number): StatusIndexes {
  let next = 0
  let end = 0
  let reserving: Promise<void> | undefined

  async function take(): Promise<void> {
    next = await reserve(size)
    end = next + size
  }

  async function later(): Promise<number> {
    while (next >= end) {
      reserving ??= take().finally(() => {
        reserving = undefined
      })
      await reserving
    }
    return next++
  }

  return { next: () => (next < end ? next++ : later()) }
}
