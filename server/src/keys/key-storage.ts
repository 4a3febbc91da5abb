import type { KeyDocument } from './key-document.ts'

/** A key document and its revision, which counts how often it was replaced. */
export interface KeptKeys {
  readonly document: KeyDocument
  readonly revision: number
}

/**
 * Stores the key document of a deployment: in a file of one process, or in a database that several nodes share.
 *
 * Promises: of two calls that replace the same revision, one succeeds; when `replace` resolves, the document is durable;
 * revisions only grow.
 */
export interface KeyStorage {
  /** The place, for messages. */
  readonly place: string
  /** The current document if it is newer than `known`. */
  newer(known: KeptKeys): Promise<KeptKeys | undefined>
  /** Replaces `known` with `next`. Undefined if another node replaced `known` first. */
  replace(known: KeptKeys, next: KeyDocument): Promise<KeptKeys | undefined>
}
