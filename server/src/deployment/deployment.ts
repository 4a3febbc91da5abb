import type { ExecuteBatch } from '../clerk/clerk.ts'
import type { ThreadListener } from '../clerk/thread.ts'
import type { KeyRing } from '../keys/key-ring.ts'
import type { Peers } from '../log/checkpoint-signer.ts'
import type { EphemeralStore } from '../store/ephemeral.ts'
import type { ReadStore } from '../store/port.ts'
import type { Hint } from '../store/postgres/hints.ts'

/** What a deployment stands on: its keys, its store, and who else works on them. */
export interface Deployment {
  readonly keys: KeyRing
  readonly reader: ReadStore
  readonly ephemeral: EphemeralStore
  readonly execute: ExecuteBatch
  readonly places: Places
  /** Other nodes; undefined where this process is the only one. */
  readonly peers: Peers | undefined
  /** How often to try again while nothing can be written. */
  readonly probe_every_ms: number
  readonly is_new: boolean
  /** Lines for the start screen. */
  readonly description: readonly Described[]
  /** Stops reading; the writing side goes on. */
  close(): Promise<void>
}

export interface Described {
  readonly name: string
  readonly text: string
}

/** Hands out places in the status list, each once. */
export interface Places {
  next(): number | Promise<number>
}

export interface DeploymentListener extends ThreadListener {
  /** The store did not answer; somebody should find out whether it can be written. */
  onAway(cause: unknown): void
  onTrouble(cause: unknown, what: string): void
  /** Another node gave a hint. */
  onHint(hint: Hint): void
}

/** This process alone issues tokens into its store, so counting on from the last place is enough. */
export function countingFrom(start: number): Places {
  let next = start
  return { next: () => next++ }
}

/** Several processes issue tokens, so each takes places in blocks. Those of a block that are never used stay empty. */
export function countingInBlocks(reserve: (count: number) => Promise<number>, size: number): Places {
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
