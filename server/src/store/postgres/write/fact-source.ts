import type { WrappedKey } from '../../rows/sealed-fields.ts'
import type { Vault } from '../../vault.ts'
import type { Database } from '../connect.ts'
import type { BatchMemory } from './memory.ts'

/** Where the facts of one attempt to judge a batch come from. */
export interface FactSource {
  readonly database: Database
  readonly memory: BatchMemory
  readonly vault: Vault
  /** The data keys that sealed values name. */
  readonly wrapped_keys: Map<number, WrappedKey>
  readonly now_ms: number
}

/** Answers all requests of one kind, by name. Called only if there are any. */
export type FactLoader<Key, Answer> = (
  source: FactSource,
  asked: ReadonlyMap<string, Key>,
  answers: Map<string, Answer>,
) => Promise<void>

/** Loads facts with one query each, for kinds that few batches need. */
export function oneByOne<Key, Answer>(
  load: (source: FactSource, key: Key) => Promise<Answer>,
): FactLoader<Key, Answer> {
  return async (source, asked, answers) => {
    for (const [name, key] of asked) answers.set(name, await load(source, key))
  }
}
