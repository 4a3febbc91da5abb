import { createHmac, hash, randomBytes, timingSafeEqual } from 'node:crypto'
import type { Level } from '@deputize/protocol'
import type { EphemeralEntry, EphemeralStore } from '../store/ephemeral.ts'

const SECRET_BYTES = 32
/** A session ends after this long without a request. */
export const SESSION_IDLE_MS = 30 * 60_000
/** A session ends after this long even when it is in use. */
export const SESSION_MOST_MS = 8 * 3_600_000
/** The expiry of a session is not rewritten more often than this. */
const TOUCH_EVERY_MS = 60_000
const SECRET = /^[A-Za-z0-9_-]{43}$/

/** A person who has signed in. */
export interface SessionPerson {
  readonly tenant_id: string
  readonly human_ref: string
  /** Every ref of this person, the primary one first. */
  readonly human_refs: readonly string[]
  readonly assurance_level: Level
  readonly amr: readonly string[]
  readonly auth_time_ms: number
  /** The sign-in provider and the groups that it named. Undefined when the person signed in another way. */
  readonly sign_on: SessionSignOn | undefined
}

export interface SessionSignOn {
  readonly provider: string
  readonly groups: readonly string[]
  readonly email_verified: boolean
}

export interface Session extends SessionPerson {
  /** Hash of the secret. It identifies the session but does not open it. */
  readonly session_key: string
  readonly started_at_ms: number
  readonly expires_at_ms: number
}

/** Secret and CSRF token go to the browser and are not stored. */
export interface OpenedSession {
  readonly session: Session
  readonly secret: string
  readonly csrf_token: string
}

/**
 * Sessions of people. Only the hash of a secret is stored, so that reading the store opens no session. A session ends
 * 30 minutes after its last use, 8 hours after its start, or when the person signs out.
 */
export interface Sessions {
  create(person: SessionPerson): Promise<OpenedSession>
  /** Undefined when the secret opens no session. */
  read(secret: string): Promise<Session | undefined>
  /** Like `read`, by the key of the session. */
  readByKey(session_key: string): Promise<Session | undefined>
  /** Extends a session that is in use. */
  touch(session: Session): Promise<void>
  end(session_key: string): Promise<void>
  /** All sessions of a person, the newest first. */
  list(human_ref: string): Promise<Session[]>
  /** Ends all sessions of a person, except one. */
  endOthers(human_ref: string, except?: string): Promise<number>
}

export function openSessions(ephemeral: EphemeralStore, clock: () => number): Sessions {
  async function readByKey(session_key: string): Promise<Session | undefined> {
    const entry = await ephemeral.get('session', session_key)
    return entry === undefined ? undefined : sessionIn(entry)
  }

  return {
    async create(person) {
      const secret = randomBytes(SECRET_BYTES).toString('base64url')
      const now_ms = clock()
      const session: Session = {
        ...person,
        session_key: sessionKeyOf(secret),
        started_at_ms: now_ms,
        expires_at_ms: endOf(now_ms, now_ms),
      }
      if (!(await ephemeral.add('session', entryOf(session))))
        throw new Error('a session with this secret exists already')
      return { session, secret, csrf_token: csrfTokenOf(secret) }
    },
    read: async (secret) => (SECRET.test(secret) ? readByKey(sessionKeyOf(secret)) : undefined),
    readByKey,
    async touch(session) {
      const expires_at_ms = endOf(session.started_at_ms, clock())
      if (expires_at_ms - session.expires_at_ms < TOUCH_EVERY_MS) return
      // A session that has ended meanwhile is gone from the store, and `replace` does not bring it back.
      await ephemeral.replace('session', entryOf({ ...session, expires_at_ms }))
    },
    async end(session_key) {
      await ephemeral.take('session', session_key)
    },
    list: async (human_ref) => (await ephemeral.ofOwner('session', human_ref)).map(sessionIn),
    endOthers: (human_ref, except) => ephemeral.endOwner(human_ref, except),
  }
}

export function sessionKeyOf(secret: string): string {
  return hash('sha256', secret, 'base64url')
}

/** The token that a page must send with every change. It is derived from the secret, which scripts cannot read. */
export function csrfTokenOf(secret: string): string {
  return createHmac('sha256', secret).update('csrf').digest('base64url')
}

export function isCsrfTokenOf(secret: string, given: string | undefined): boolean {
  const wanted = Buffer.from(csrfTokenOf(secret))
  const shown = Buffer.from(given ?? '')
  return shown.length === wanted.length && timingSafeEqual(shown, wanted)
}

function endOf(started_at_ms: number, used_at_ms: number): number {
  return Math.min(used_at_ms + SESSION_IDLE_MS, started_at_ms + SESSION_MOST_MS)
}

function entryOf({ session_key, expires_at_ms, ...kept }: Session): EphemeralEntry {
  return { key: session_key, value: JSON.stringify(kept), owner: kept.human_ref, expires_at_ms }
}

function sessionIn({ key, value, expires_at_ms }: EphemeralEntry): Session {
  const kept = JSON.parse(value) as Omit<Session, 'session_key' | 'expires_at_ms'> // only `entryOf` writes such entries
  return { ...kept, session_key: key, expires_at_ms }
}
