import type { Level } from '@deputize/protocol'
import type { EphemeralStore } from '../store/ephemeral.ts'
import type { RegistryReader } from '../store/port/registry.ts'
import { type NewSession, SessionEntries, type SessionFacts } from './session-entries.ts'

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

export type Session = SessionPerson & SessionFacts
export type OpenedSession = NewSession<Session>

/** Sessions of people. One ends 30 minutes after its last use, 8 hours after its start, or when the person signs out. */
export interface Sessions {
  create(person: SessionPerson): Promise<OpenedSession>
  /** Returns undefined if the secret opens no session. */
  read(secret: string): Promise<Session | undefined>
  /** Like `read`, by the key of the session. */
  readByKey(session_key: string): Promise<Session | undefined>
  /** Extends a session that is in use. */
  touch(session: Session): Promise<void>
  end(session_key: string): Promise<void>
  /** Returns all sessions of a person, newest first. */
  list(human_ref: string): Promise<Session[]>
  /** Ends all sessions of a person, except one. Returns how many began in the last hours and had not signed out. */
  endOthers(human_ref: string, except?: string): Promise<number>
}

/** What a person has by being signed in. Challenges and confirmed calls belong to a session. */
const SIGNED_IN_KINDS = ['session', 'challenge', 'step_up'] as const

/** Records the start and end of sessions in the log. Each call resolves when the leaf is durable. */
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

export function openSessions({ ephemeral, registry, recorder, clock }: SessionsOptions): Sessions {
  const entries = new SessionEntries<SessionPerson>({
    kind: 'session',
    ephemeral,
    registry,
    clock,
    ownerOf: ({ human_ref }) => human_ref,
  })

  return {
    create: (person) => entries.open(person, (session_key) => recorder.begun({ ...person, session_key })),
    read: (secret) => entries.read(secret),
    readByKey: (session_key) => entries.readByKey(session_key),
    touch: (session) => entries.touch(session),
    async end(session_key) {
      await entries.take(session_key)
      const known = await registry.entry('session', session_key)
      if (known?.owner !== undefined) await recorder.ended({ session_key, human_ref: known.owner })
    },
    list: (human_ref) => entries.ofOwner(human_ref),
    async endOthers(human_ref, except) {
      await ephemeral.endOwner(SIGNED_IN_KINDS, human_ref, except)
      let ended = 0
      for await (const begun of entries.begunLately({ owner: human_ref })) {
        const others = begun.filter((session_key) => session_key !== except)
        await Promise.all(others.map((session_key) => recorder.ended({ session_key, human_ref })))
        ended += others.length
      }
      return ended
    },
  }
}
