import { createHmac, hash, randomBytes, timingSafeEqual } from 'node:crypto'
import type { Level } from '@deputize/protocol'
import type { EphemeralEntry, EphemeralStore } from '../store/ephemeral.ts'

const SECRET_BYTES = 32
/** Without a request for this long, a session ends. */
export const SESSION_IDLE_MS = 30 * 60_000
/** However busy it is, a session ends. */
export const SESSION_MOST_MS = 8 * 3_600_000
/** A session is not written again for every request. */
const TOUCH_EVERY_MS = 60_000
const SECRET = /^[A-Za-z0-9_-]{43}$/

/** A person who has signed in, for as long as a browser remembers the secret. */
export interface SessionPerson {
  readonly tenant_id: string
  readonly human_ref: string
  /** Every ref that stands for this person, the own one first. */
  readonly human_refs: readonly string[]
  readonly assurance_level: Level
  readonly amr: readonly string[]
  readonly auth_time_ms: number
  /** What proved the person: a sign-on provider with the groups that it named; undefined: something else. */
  readonly sign_on: SessionSignOn | undefined
}

export interface SessionSignOn {
  readonly provider: string
  readonly groups: readonly string[]
  readonly email_verified: boolean
}

export interface Session extends SessionPerson {
  /** Hash of the secret: names the session, opens nothing. */
  readonly session_key: string
  readonly started_at_ms: number
  readonly expires_at_ms: number
}

/** What the browser is given. Neither is kept here. */
export interface OpenedSession {
  readonly session: Session
  readonly secret: string
  readonly csrf_token: string
}

/**
 * Sessions of people. Of the secret only its hash is kept, so that whoever reads the store can enter none of them. A
 * session ends half an hour after it was last used, eight hours after it began, or when it is ended.
 */
export interface Sessions {
  create(person: SessionPerson): Promise<OpenedSession>
  /** Undefined for whatever opens no session. */
  read(secret: string): Promise<Session | undefined>
  /** As `read`, for one whose key is known. */
  readByKey(session_key: string): Promise<Session | undefined>
  /** Notes that a session is in use. */
  touch(session: Session): Promise<void>
  end(session_key: string): Promise<void>
  /** All of a person, the newest first. */
  list(human_ref: string): Promise<Session[]>
  /** Ends all of a person, except one. */
  endOthers(human_ref: string, except?: string): Promise<number>
}

export function sessions(ephemeral: EphemeralStore, clock: () => number): Sessions {
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
        throw new Error('a session has this secret already')
      return { session, secret, csrf_token: csrfTokenOf(secret) }
    },
    read: async (secret) => (SECRET.test(secret) ? readByKey(sessionKeyOf(secret)) : undefined),
    readByKey,
    async touch(session) {
      const expires_at_ms = endOf(session.started_at_ms, clock())
      if (expires_at_ms - session.expires_at_ms < TOUCH_EVERY_MS) return
      // One that was ended meanwhile is not there to be replaced, and stays ended.
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

/** What a page must send along with a change. It follows from the secret, which pages cannot read. */
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
