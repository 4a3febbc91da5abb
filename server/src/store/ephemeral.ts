/** What is kept for a while and told in no leaf. */
export type EphemeralKind = 'session' | 'login' | 'challenge' | 'step_up' | 'proof' | 'id_token'

export interface EphemeralEntry {
  /** Never the secret itself: its SHA-256, or something that is no secret. */
  readonly key: string
  /** JSON text. Holds refs and times, never an e-mail address, a name or a token. */
  readonly value: string
  /** Whose it is, so that all of somebody's can be found and ended; a human_ref for sessions. */
  readonly owner: string | undefined
  readonly expires_at_ms: number
}

/**
 * Sessions, sign-ins under way, challenges, and proofs that were seen once.
 *
 * Promises: what has ended is never answered; of many callers who add the same key one gets true, and of many who take
 * the same key one gets it, on whatever node they are; what is gone is gone for every node when the promise resolves.
 * A crash of the machine may lose entries: people sign in again. It never brings back what was taken or removed.
 */
export interface EphemeralStore {
  /** False when the key is there already. */
  add(kind: EphemeralKind, entry: EphemeralEntry): Promise<boolean>
  get(kind: EphemeralKind, key: string): Promise<EphemeralEntry | undefined>
  /** False when there is nothing to replace. */
  replace(kind: EphemeralKind, entry: EphemeralEntry): Promise<boolean>
  /** Reads and removes in one step. */
  take(kind: EphemeralKind, key: string): Promise<EphemeralEntry | undefined>
  /** Of an owner, the newest first. */
  ofOwner(kind: EphemeralKind, owner: string): Promise<EphemeralEntry[]>
  /** Removes all of an owner, of every kind, except one key. */
  endOwner(owner: string, except?: string): Promise<number>
  /** Forgets what has ended. */
  sweep(): Promise<void>
  close(): Promise<void>
}
