import type { Frontier } from '@deputize/protocol'
import type { Page, PageRequest } from './pages.ts'

/** A signed checkpoint with its whole note. */
export interface StoredCheckpoint {
  readonly size: number
  readonly root: Uint8Array
  readonly signed_at_ms: number
  readonly note: string
}

export interface StoredLeaf {
  readonly log_index: number
  readonly text: string
}

/**
 * The log as it is committed. Leaves, hashes and nodes are in the order of the log; asking beyond its end answers fewer.
 */
export interface LogReader {
  /** How far the log goes. Everything below is durable: a checkpoint may be signed over it. */
  head(): Promise<Frontier>
  leaves(start: number, end: number): Promise<string[]>
  leafHashes(start: number, end: number): Promise<Uint8Array[]>
  /** Roots of full subtrees of 256^level leaves; level 1 or more. */
  nodes(level: number, start: number, end: number): Promise<Uint8Array[]>
  /** The newest checkpoint that was signed. */
  lastCheckpoint(): Promise<StoredCheckpoint | undefined>
  /** Newest first, by size. */
  checkpoints(page: PageRequest): Promise<Page<StoredCheckpoint>>
}
