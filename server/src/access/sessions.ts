import { createHmac, hash, randomBytes, timingSafeEqual } from 'node:crypto'
import type { Level } from '@deputize/protocol'
import type { EphemeralEntry, EphemeralStore } from '../store/ephemeral.ts'
import type { RegistryReader } from '../store/port.ts'

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
  /** The index of the leaf that records its begin. */
  readonly begun_index: number
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
 * Sessions of people. Only the hash of a secret is stored, so that reading the store opens no session. A session is valid
 * while its sealed entry is in place, its begin is in the log and its end is not, so that writing to the store opens none
 * either. A session ends 30 minutes after its last use, 8 hours after its start, or when the person signs out.
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
  /** Ends all sessions of a person, except one. Returns how many began in the last hours and had not signed out. */
  endOthers(human_ref: string, except?: string): Promise<number>
}

/** Records in the log that sessions begin and end. Each call resolves when the leaf is durable. */
export interface SessionRecorder {
  /** Returns the index of the leaf. */
  begun(
    session: Pick<Session, 'session_key' | 'tenant_id' | 'human_ref' | 'assurance_level'>,
  ): Promise<number>
  ended(session: Pick<Session, 'session_key' | 'human_ref'>): Promise<void>
}

export interface SessionsOptions {
  readonly ephemeral: EphemeralStore
  readonly registry: RegistryReader
  readonly recorder: SessionRecorder
  readonly clock: () => number
}

/** Longer than any session lasts, by more than the clocks of nodes differ. */
const SURELY_OVER_MS = SESSION_MOST_MS + 3_600_000
const PAGE = 200

export function openSessions({ ephemeral, registry, recorder, clock }: SessionsOptions): Sessions {
  async function readByKey(session_key: string): Promise<Session | undefined> {
    const entry = await ephemeral.get('session', session_key)
    if (entry === undefined) return undefined
    const session = sessionIn(entry)
    return (await isInForce(session)) ? session : undefined
  }

  /** A copy of an entry that is put back after its end names a leaf that is no longer the newest of the session. */
  async function isInForce({ session_key, begun_index, human_ref }: Session): Promise<boolean> {
    const known = await registry.entry('session', session_key)
    return known?.document !== undefined && known.log_index === begun_index && known.owner === human_ref
  }

  /** The sessions of a person that may still be valid by the log. */
  async function unended(human_ref: string): Promise<string[]> {
    const found: string[] = []
    let before: number | undefined
    do {
      const page = await registry.list('session', { owner: human_ref }, { limit: PAGE, before })
      for (const { id, document } of page.entries) {
        const { begun_at }: { begun_at: string } = JSON.parse(document)
        if (Date.parse(begun_at) < clock() - SURELY_OVER_MS) return found
        found.push(id)
      }
      before = page.before
    } while (before !== undefined)
    return found
  }

  return {
    async create(person) {
      const secret = randomBytes(SECRET_BYTES).toString('base64url')
      const now_ms = clock()
      const session_key = sessionKeyOf(secret)
      // A crash after this line leaves a begin without a session: no browser has its secret.
      const begun_index = await recorder.begun({ ...person, session_key })
      const session: Session = {
        ...person,
        session_key,
        begun_index,
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
      // A crash between the two leaves a session that is gone and has no end in the log, like one that expired.
      await ephemeral.take('session', session_key)
      const known = await registry.entry('session', session_key)
      if (known?.owner !== undefined) await recorder.ended({ session_key, human_ref: known.owner })
    },
    async list(human_ref) {
      const sessions = (await ephemeral.ofOwner('session', human_ref)).map(sessionIn)
      const inForce = await Promise.all(sessions.map(isInForce))
      return sessions.filter((_, index) => inForce[index])
    },
    async endOthers(human_ref, except) {
      await ephemeral.endOwner(human_ref, except)
      const others = (await unended(human_ref)).filter((session_key) => session_key !== except)
      await Promise.all(others.map((session_key) => recorder.ended({ session_key, human_ref })))
      return others.length
    },
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
