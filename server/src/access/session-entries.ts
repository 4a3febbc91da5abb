import { createHmac, hash, randomBytes, timingSafeEqual } from 'node:crypto'
import type { EphemeralEntry, EphemeralStore } from '../store/ephemeral.ts'
import type { RegistryFilter, RegistryReader } from '../store/port/registry.ts'

const SECRET_BYTES = 32
const SECRET = /^[A-Za-z0-9_-]{43}$/
/** A session ends after this long without a request. */
export const SESSION_IDLE_MS = 30 * 60_000
/** A session ends after this long even when it is in use. */
export const SESSION_MOST_MS = 8 * 3_600_000
/** The expiry of a session is not rewritten more often than this. */
const TOUCH_EVERY_MS = 60_000
/** Longer than any session lasts, by more than the clocks of nodes differ. */
const SURELY_OVER_MS = SESSION_MOST_MS + 3_600_000
const PAGE = 200

/** The facts about a session of any kind. */
export interface SessionFacts {
  /** Hash of the secret. It identifies the session but does not open it. */
  readonly session_key: string
  /** The index of the leaf that records its start. */
  readonly begun_index: number
  readonly started_at_ms: number
  readonly expires_at_ms: number
}

/** The secret and the CSRF token go to the browser and aren't stored. */
export interface NewSession<S> {
  readonly session: S
  readonly secret: string
  readonly csrf_token: string
}

export interface SessionEntriesOptions<Holder> {
  readonly kind: 'session' | 'key_session'
  readonly ephemeral: EphemeralStore
  readonly registry: RegistryReader
  readonly clock: () => number
  /** Returns the person whose entries these are. They end when the person is erased. */
  ownerOf(holder: Holder): string | undefined
}

/**
 * Stores sessions of one kind. Only the hash of a secret is stored, so reading the store doesn't open a session. A
 * session is valid while its sealed entry exists, its start is in the log and its end isn't, so writing to the store
 * doesn't open one either.
 */
export class SessionEntries<Holder extends object> {
  readonly #options: SessionEntriesOptions<Holder>

  constructor(options: SessionEntriesOptions<Holder>) {
    this.#options = options
  }

  /** Opens a session once its start is in the log, at the index that `begin` returns. */
  async open(
    holder: Holder,
    begin: (session_key: string, now_ms: number) => Promise<number>,
  ): Promise<NewSession<Holder & SessionFacts>> {
    const { kind, ephemeral, clock } = this.#options
    const secret = randomBytes(SECRET_BYTES).toString('base64url')
    const session_key = sessionKeyOf(secret)
    const now_ms = clock()
    // A crash after this line leaves a start without a session: no browser has its secret.
    const begun_index = await begin(session_key, now_ms)
    const expires_at_ms = sessionEnd(now_ms, now_ms)
    const session = { ...holder, session_key, begun_index, started_at_ms: now_ms, expires_at_ms }
    if (!(await ephemeral.add(kind, this.#entryOf(session))))
      throw new Error('a session with this secret exists already')
    return { session, secret, csrf_token: csrfTokenOf(secret) }
  }

  /** Returns undefined if the secret opens no session. Most texts that can't be a secret need no lookup. */
  async read(secret: string): Promise<(Holder & SessionFacts) | undefined> {
    return SECRET.test(secret) ? this.readByKey(sessionKeyOf(secret)) : undefined
  }

  async readByKey(session_key: string): Promise<(Holder & SessionFacts) | undefined> {
    const { kind, ephemeral } = this.#options
    const entry = await ephemeral.get(kind, session_key)
    if (entry === undefined) return undefined
    const session = sessionIn<Holder>(entry)
    return (await this.#isInForce(session)) ? session : undefined
  }

  /** Returns the valid sessions of an owner, newest first. */
  async ofOwner(owner: string): Promise<(Holder & SessionFacts)[]> {
    const { kind, ephemeral } = this.#options
    const sessions = (await ephemeral.ofOwner(kind, owner)).map((entry) => sessionIn<Holder>(entry))
    const inForce = await Promise.all(sessions.map((session) => this.#isInForce(session)))
    return sessions.filter((_, index) => inForce[index])
  }

  /** Extends a session that is in use. */
  async touch(session: Holder & SessionFacts): Promise<void> {
    const { kind, ephemeral, clock } = this.#options
    const expires_at_ms = sessionEnd(session.started_at_ms, clock())
    if (expires_at_ms - session.expires_at_ms < TOUCH_EVERY_MS) return
    // A session that has ended in the meantime is gone from the store, and `replace` doesn't bring it back.
    await ephemeral.replace(kind, this.#entryOf({ ...session, expires_at_ms }))
  }

  /** Ends a session here; the caller then logs its end. After a crash in between, the session looks as if it had expired. */
  async take(session_key: string): Promise<void> {
    await this.#options.ephemeral.take(this.#options.kind, session_key)
  }

  /** Yields the keys of sessions that may still be valid according to the log, newest first, page by page. */
  async *begunLately(whose: RegistryFilter): AsyncGenerator<string[]> {
    const { kind, registry, clock } = this.#options
    let before: number | undefined
    do {
      const page = await registry.list(kind, whose, { limit: PAGE, before })
      const lately = page.entries.filter(({ document }) => {
        const { begun_at }: { begun_at: string } = JSON.parse(document)
        return Date.parse(begun_at) >= clock() - SURELY_OVER_MS
      })
      yield lately.map(({ id }) => id)
      before = lately.length === page.entries.length ? page.before : undefined
    } while (before !== undefined)
  }

  /** If a copy of an entry is put back after its end, the leaf that it names is no longer the session's newest. */
  async #isInForce(session: Holder & SessionFacts): Promise<boolean> {
    const { kind, registry, ownerOf } = this.#options
    const known = await registry.entry(kind, session.session_key)
    if (known?.document === undefined || known.log_index !== session.begun_index) return false
    return known.owner === ownerOf(session)
  }

  #entryOf(session: Holder & SessionFacts): EphemeralEntry {
    const { session_key, expires_at_ms, ...kept } = session
    return {
      key: session_key,
      value: JSON.stringify(kept),
      owner: this.#options.ownerOf(session),
      expires_at_ms,
    }
  }
}

function sessionIn<Holder>({ key, value, expires_at_ms }: EphemeralEntry): Holder & SessionFacts {
  return { ...JSON.parse(value), session_key: key, expires_at_ms } // only `#entryOf` writes such entries
}

export function sessionKeyOf(secret: string): string {
  return hash('sha256', secret, 'base64url')
}

/** Returns the token that a page must send with every change, derived from the secret, which scripts can't read. */
export function csrfTokenOf(secret: string): string {
  return createHmac('sha256', secret).update('csrf').digest('base64url')
}

export function isCsrfTokenOf(secret: string, given: string | undefined): boolean {
  const wanted = Buffer.from(csrfTokenOf(secret))
  const shown = Buffer.from(given ?? '')
  return shown.length === wanted.length && timingSafeEqual(shown, wanted)
}

/** Returns when a session ends that was last used at this time. */
function sessionEnd(started_at_ms: number, used_at_ms: number): number {
  return Math.min(used_at_ms + SESSION_IDLE_MS, started_at_ms + SESSION_MOST_MS)
}
