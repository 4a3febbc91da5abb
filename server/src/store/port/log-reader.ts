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

/** The committed log. Leaves, hashes and nodes are in log order. A range beyond the end returns fewer. */
export interface LogReader {
  /** The head of the log. Everything below it is durable, so a checkpoint may be signed over it. */
  head(): Promise<Frontier>
  leaves(start: number, end: number): Promise<string[]>
  leafHashes(start: number, end: number): Promise<Uint8Array[]>
  /** Roots of full subtrees of 256^level leaves; level 1 or more. */
  nodes(level: number, start: number, end: number): Promise<Uint8Array[]>
  /** The newest signed checkpoint. */
  lastCheckpoint(): Promise<StoredCheckpoint | undefined>
  /** Newest first, by size. */
  checkpoints(page: PageRequest): Promise<Page<StoredCheckpoint>>
}
