import type { KeyDocument } from './key-document.ts'

/** A key document as it was found, and how often it had been replaced by then. */
export interface KeptKeys {
  readonly document: KeyDocument
  readonly revision: number
}

/**
 * Where the key document of a deployment lies: in a file of one process, or where several nodes share it.
 *
 * Promises: of two that replace the same revision one succeeds; what `replace` answered is durable; revisions only grow.
 */
export interface KeyStorage {
  /** How messages name it. */
  readonly place: string
  /** What is kept now, if that is newer than `known`. */
  newer(known: KeptKeys): Promise<KeptKeys | undefined>
  /** Keeps `next` in the place of `known`. Undefined when somebody else has replaced that meanwhile. */
  replace(known: KeptKeys, next: KeyDocument): Promise<KeptKeys | undefined>
}
