import { isoInstant } from '../domain/times/time.ts'
import type { EphemeralStore } from '../store/ephemeral.ts'
import type { RegistryReader } from '../store/port/registry.ts'
import { actorOf, type Caller, type KeyCaller } from './caller.ts'
import { heldSince, keyCaller } from './key-holders.ts'
import { type NewSession, SessionEntries, type SessionFacts } from './session-entries.ts'

/** Roles that can use an API key in a browser. Not programs, nor the safety desk, which must leave no session open. */
export const SESSION_ROLES = [
  'operator',
  'developer',
  'auditor',
] as const satisfies readonly KeyCaller['role'][]

/** The key that a session stands for. */
export interface SessionKeyHolder {
  readonly tenant_id: string
  readonly key_id: string
  /** The first key in its rotation, or the key itself. */
  readonly owner_id: string
  /** The passkey that the session began with. The session ends with it. */
  readonly passkey_id?: string
}

/** The session of an operator, a developer or an auditor. */
export type KeySession = SessionKeyHolder & SessionFacts

/** A session and its caller, as the key allows it now. */
export interface LiveKeySession {
  readonly session: KeySession
  readonly caller: KeyCaller
}

type KeySessionName = Pick<KeySession, 'session_key' | 'tenant_id'>

/** Records the start and end of sessions in the log. Each call resolves when the leaf is durable. */
export interface KeySessionRecorder {
  /** Returns the index of the leaf. */
  begun(session: KeySessionName, document: string, by: string | undefined): Promise<number>
  ended(session: KeySessionName, by: string | undefined): Promise<void>
}

export interface KeySessionsOptions {
  readonly ephemeral: EphemeralStore
  readonly registry: RegistryReader
  readonly recorder: KeySessionRecorder
  readonly clock: () => number
}

/** Maximum number of sessions that are listed. */
const MOST_LISTED = 500

/**
 * Sessions that stand for an API key. What a session may do is looked up from its key with every request, so it never
 * exceeds the key and ends with it, and with the passkey that it began with. Otherwise they are like people's sessions.
 */
export class KeySessions {
  readonly #entries: SessionEntries<SessionKeyHolder>
  readonly #registry: RegistryReader
  readonly #recorder: KeySessionRecorder
  readonly #clock: () => number

  constructor({ ephemeral, registry, recorder, clock }: KeySessionsOptions) {
    this.#entries = new SessionEntries({
      kind: 'key_session',
      ephemeral,
      registry,
      clock,
      ownerOf: () => undefined,
    })
    this.#registry = registry
    this.#recorder = recorder
    this.#clock = clock
  }

  async create(caller: KeyCaller, passkey_id?: string): Promise<NewSession<KeySession>> {
    const { tenant_id, key_id, owner_id = key_id } = caller
    const holder = { tenant_id, key_id, owner_id, ...(passkey_id !== undefined && { passkey_id }) }
    return this.#entries.open(holder, (session_key, now_ms) => {
      const document = JSON.stringify({ key_id, begun_at: isoInstant(now_ms) })
      return this.#recorder.begun({ session_key, tenant_id }, document, actorOf(caller))
    })
  }

  /** Returns undefined if the secret opens no session, or its key is gone. */
  async read(secret: string): Promise<LiveKeySession | undefined> {
    return this.#live(await this.#entries.read(secret))
  }

  /** Like `read`, by the key of the session. */
  async readByKey(session_key: string): Promise<LiveKeySession | undefined> {
    return this.#live(await this.#entries.readByKey(session_key))
  }

  /** Reads the key's entry, because cached keys may be slightly out of date. */
  async #live(session: KeySession | undefined): Promise<LiveKeySession | undefined> {
    if (session === undefined) return undefined
    const { key_id, tenant_id, passkey_id, begun_index } = session
    if (passkey_id !== undefined && !(await this.#isRegistered(passkey_id))) return undefined
    const entry = await this.#registry.entry('api_key', key_id)
    if (entry?.document === undefined) return undefined
    if (begun_index < (heldSince(entry.document, entry.log_index) ?? 0)) return undefined
    const caller = keyCaller(key_id, entry, this.#clock())
    return caller?.tenant_id === tenant_id && isSessionRole(caller.role) ? { session, caller } : undefined
  }

  async #isRegistered(passkey_id: string): Promise<boolean> {
    return (await this.#registry.entry('key_passkey', passkey_id))?.document !== undefined
  }

  /** Extends a session that is in use. */
  touch(session: KeySession): Promise<void> {
    return this.#entries.touch(session)
  }

  async end({ session_key, tenant_id }: KeySessionName, caller: Caller): Promise<void> {
    await this.#entries.take(session_key)
    await this.#recorder.ended({ session_key, tenant_id }, actorOf(caller))
  }

  /** Ends the sessions of a tenant that are meant, however many there are. */
  async endAll(tenant_id: string, isMeant: (session: KeySession) => boolean, caller: Caller): Promise<void> {
    for await (const { session } of this.#inForce(tenant_id))
      if (isMeant(session)) await this.end(session, caller)
  }

  /** Returns the newest valid sessions of a tenant that are meant, newest first. */
  async list(tenant_id: string, isMeant: (session: KeySession) => boolean): Promise<LiveKeySession[]> {
    const found: LiveKeySession[] = []
    for await (const live of this.#inForce(tenant_id)) {
      if (isMeant(live.session)) found.push(live)
      if (found.length === MOST_LISTED) break
    }
    return found
  }

  /** Yields the valid sessions of a tenant, newest first. */
  async *#inForce(tenant_id: string): AsyncGenerator<LiveKeySession> {
    for await (const keys of this.#entries.begunLately({ tenant_id })) {
      const found = await Promise.all(keys.map((session_key) => this.readByKey(session_key)))
      yield* found.filter((live) => live !== undefined)
    }
  }
}

export type SessionRole = (typeof SESSION_ROLES)[number]

export function isSessionRole(role: KeyCaller['role']): role is SessionRole {
  return SESSION_ROLES.some((known) => known === role)
}
