import { ExpectedFailure } from '../expected-failure.ts'

/** Ephemeral data expires by itself and bypasses the clerk. Only the start and the end of a session are logged. */
export type EphemeralKind =
  | 'session'
  | 'key_session'
  | 'login'
  | 'challenge'
  | 'step_up'
  | 'proof'
  | 'id_token'
  | 'capture_session'
  | 'capture_evidence'
  | 'capture_claim'
  | 'capture_failure'
  | 'hosted_session'
  | 'hosted_transfer'
  | 'alert'
  | 'external_event'
  | 'external_due'
  | 'sandbox_check'
  | 'security_event'
  | 'key_use'
  | 'channel_code'
  | 'code_sent'
  | 'message'
  | 'ssf_cursor'

/** Kinds whose entries only mark something as used. Losing one would let it be used again. */
export const SEEN_ONCE = ['proof', 'id_token'] as const satisfies readonly EphemeralKind[]

/** The same kinds for SQL. Only the keys of their rows matter, so the values need no seal. */
export const UNSEALED_KINDS_SQL: string = SEEN_ONCE.map((kind) => `'${kind}'`).join(', ')

export interface EphemeralEntry {
  /** The SHA-256 of a secret, never the secret itself, or an id that isn't secret. */
  readonly key: string
  /** JSON text. Holds references, times and requests, never a secret or a token. */
  readonly value: string
  /** The owner, whose entries can be listed and ended together. For sessions, a human_ref. */
  readonly owner: string | undefined
  readonly expires_at_ms: number
}

/**
 * Sessions, sign-ins in progress, challenges, and marks of used proofs.
 *
 * Promises: an expired entry is never returned; when several callers add the same key, one gets true, and when several
 * take the same key, one gets the entry, on any node; an entry that was taken or removed is gone for every node when
 * the promise resolves. A crash of the machine may lose entries, and people sign in again. It never restores an entry
 * that was taken or removed.
 */
export interface EphemeralStore {
  /** False when the key exists already. */
  add(kind: EphemeralKind, entry: EphemeralEntry): Promise<boolean>
  get(kind: EphemeralKind, key: string): Promise<EphemeralEntry | undefined>
  /**
   * False if there is nothing to replace. With `known`, an entry that `get` or `ofOwner` returned, also false if the
   * entry has changed since: of several callers that read the same entry, on any node, one replaces it.
   */
  replace(kind: EphemeralKind, entry: EphemeralEntry, known?: EphemeralEntry): Promise<boolean>
  /** Reads and removes in one step. */
  take(kind: EphemeralKind, key: string): Promise<EphemeralEntry | undefined>
  /** The entries of an owner, newest first. */
  ofOwner(kind: EphemeralKind, owner: string): Promise<EphemeralEntry[]>
  /** Removes an owner's entries of these kinds, except those with the key `except`. Returns their number. */
  endOwner(kinds: readonly EphemeralKind[] | 'all', owner: string, except?: string): Promise<number>
  /** Deletes expired entries. */
  sweep(): Promise<void>
  close(): Promise<void>
}

/** The file of ephemeral data cannot be used. The message says what to do. */
export class EphemeralFileError extends ExpectedFailure {
  override readonly name = 'EphemeralFileError'

  constructor(file: string, cause: unknown) {
    const why = cause instanceof Error ? cause.message : String(cause)
    super(
      `${file} cannot be used: ${why}. It holds only data that expires by itself: you may delete it, and people then sign in again`,
      { cause },
    )
  }
}

/** Adds an entry, or replaces the one with its key. If two callers write at once, either may win. */
export async function putEphemeral(
  ephemeral: EphemeralStore,
  kind: EphemeralKind,
  entry: EphemeralEntry,
): Promise<void> {
  if (!(await ephemeral.replace(kind, entry))) await ephemeral.add(kind, entry)
}

/** Adds an entry if none was `known`, or replaces the known one. False if another caller has written it since. */
export async function swapEphemeral(
  ephemeral: EphemeralStore,
  kind: EphemeralKind,
  entry: EphemeralEntry,
  known: EphemeralEntry | undefined,
): Promise<boolean> {
  return known === undefined ? ephemeral.add(kind, entry) : ephemeral.replace(kind, entry, known)
}
