import type { Link, Marks } from '../../../domain/tokens/token.ts'
import { PendingRecords } from '../../pending-records.ts'
import { StoreError } from '../../port/store-error.ts'
import type { KeyedToken } from '../../rows/row-keys.ts'
import type { SumKeys } from '../../rows/sums.ts'
import { SumsByMinute } from '../../rows/sums-by-minute.ts'
import { type InnerLimitsOpener, keyedToken, stateOf } from '../../rows/tokens.ts'
import { columnsIn } from '../../tables.ts'
import { integer, type Row, text } from '../../values.ts'
import type { Database } from '../connect.ts'
import { AGENT_MARK_FIELDS, joinedAgentMarks, STATE_FIELDS } from '../read/marks.ts'
import { keyedRead } from '../read/reading.ts'
import { type Person, personOf } from './people.ts'

/** How many of each kind are remembered by default. */
const REMEMBERED = 50_000

export interface KnownAgentKey {
  readonly agent_key: number
  readonly marks: Marks
}

/** The state of a token and its holders. */
const STATE = `
  SELECT t.token_key, s.token_key IS NOT NULL AS has_state, ${STATE_FIELDS}, a.agent_id, a.agent_key,
    ${AGENT_MARK_FIELDS}, h.human_ref, h.human_key, h.revoked_below, h.refused_at_ms, h.data_key, h.erased_at_ms, k.wrapped`
const HOLDERS = `
  LEFT JOIN token_states s ON s.token_key = t.token_key JOIN agents a ON a.agent_key = t.agent_key
  JOIN humans h ON h.human_key = t.human_key LEFT JOIN data_keys k ON k.data_key = h.data_key`
const WHOLE_CHAINS = keyedRead(
  'whole_chains',
  `${STATE}, t.jti, t.parent_key, t.path, t.claims, t.jwt_hash, t.issued_at_ms, t.log_index, t.inner_limits
  FROM (SELECT DISTINCT unnest(ancestors) AS token_key FROM tokens WHERE jti = ANY(?)) wanted
  JOIN tokens t ON t.token_key = wanted.token_key ${HOLDERS}`,
)
const STATES_ONLY = keyedRead('token_states', `${STATE} FROM tokens t ${HOLDERS} WHERE t.token_key = ANY(?)`)
const PEOPLE = keyedRead(
  'people',
  `SELECT ${columnsIn('humans', 'postgres')
    .map((column) => `h.${column}`)
    .join(', ')}, k.wrapped
  FROM humans h LEFT JOIN data_keys k ON k.data_key = h.data_key WHERE h.human_ref = ANY(?)`,
)
const IS_VOUCHED = `EXISTS (
  SELECT 1 FROM vouches v WHERE v.to_ref = 'agent:' || a.agent_id AND v.ended_index IS NULL) AS is_vouched`
const AGENTS = keyedRead(
  'agents',
  `SELECT a.agent_id, a.agent_key, ${AGENT_MARK_FIELDS}, ${IS_VOUCHED} FROM agents a WHERE a.agent_id = ANY(?)`,
)
const VOUCHED = keyedRead(
  'vouched',
  `SELECT a.agent_id, ${IS_VOUCHED} FROM agents a WHERE a.agent_id = ANY(?)`,
)
const NAMES = keyedRead('names', 'SELECT name, name_key FROM names WHERE name = ANY(?)')
const WORKFLOWS = keyedRead(
  'workflows',
  'SELECT provenance_ref, workflow_key FROM workflows WHERE provenance_ref = ANY(?)',
)

/**
 * What this process remembers between batches. Tokens, names and keys never change and are kept. States, marks and the
 * absence of rows are current while no other node has written, and are dropped once one has.
 */
export class BatchMemory {
  readonly names = new Map<string, number>()
  readonly workflows = new Map<string, number>()
  readonly #tokens = new Map<string, KeyedToken>()
  readonly #tokens_by_key = new Map<number, KeyedToken>()
  /** What never changes once it is committed. */
  readonly #lasting = [this.names, this.workflows, this.#tokens, this.#tokens_by_key]
  readonly #links = new Map<number, Link>()
  readonly #agents = new Map<string, KnownAgentKey | null>()
  readonly #people = new Map<string, Person | null>()
  readonly #absent = new Set<string>()
  /** Whether there is a vouch for an agent, or was one when that was loaded. */
  readonly #vouched = new Map<string, boolean>()
  readonly #changing = [this.#links, this.#agents, this.#people, this.#absent, this.#vouched]
  /** Judges change only copies of them. */
  readonly pending = new PendingRecords()
  #deferred: SumsByMinute | undefined
  /** Opens the inner limits of tokens. */
  readonly #open: InnerLimitsOpener | undefined

  readonly #most: number

  /** Without an opener, the inner limits of tokens stay sealed. */
  constructor(open?: InnerLimitsOpener, most = REMEMBERED) {
    this.#open = open
    this.#most = most
  }

  token(jti: string): KeyedToken | undefined {
    return this.#tokens.get(jti)
  }

  tokenByKey(token_key: number): KeyedToken | undefined {
    return this.#tokens_by_key.get(token_key)
  }

  link(token_key: number): Link | undefined {
    return this.#links.get(token_key)
  }

  /** Null for an agent that doesn't exist; undefined if that isn't known yet. */
  agent(agent_id: string): KnownAgentKey | null | undefined {
    return this.#agents.get(agent_id)
  }

  person(human_ref: string): Person | null | undefined {
    return this.#people.get(human_ref)
  }

  isAbsent(jti: string): boolean {
    return this.#absent.has(jti)
  }

  /** Sums that aren't in their tables yet, whichever node deferred them. Undefined if they aren't loaded. */
  get deferred(): SumsByMinute | undefined {
    return this.#deferred
  }

  /** Undefined if that isn't loaded. */
  isVouchedFor(agent_id: string): boolean | undefined {
    return this.#agents.get(agent_id) === null ? false : this.#vouched.get(agent_id)
  }

  noteVouched(agent_id: string): void {
    this.#vouched.set(agent_id, true)
  }

  addToken(keyed: KeyedToken, link: Link): void {
    this.#tokens.set(keyed.token.jti, keyed)
    this.#tokens_by_key.set(keyed.token_key, keyed)
    this.#links.set(keyed.token_key, link)
    this.#absent.delete(keyed.token.jti)
  }

  /** Adds a new agent, for which there can't be a vouch yet. */
  addAgent(agent_id: string, agent: KnownAgentKey): void {
    this.#agents.set(agent_id, agent)
    this.#vouched.set(agent_id, false)
  }

  addPerson(person: Person): void {
    this.#people.set(person.human_ref, person)
  }

  /** Loads tokens with their ancestors, their states and the marks on their holders. */
  async loadTokens(database: Database, jtis: readonly string[]): Promise<void> {
    const unknown = jtis.filter((jti) => !this.#tokens.has(jti) && !this.#absent.has(jti))
    if (unknown.length > 0) {
      const rows = await WHOLE_CHAINS(database, unknown)
      for (const row of rows) this.#rememberToken(row)
      for (const row of rows) this.#rememberLink(row)
      for (const jti of unknown) if (!this.#tokens.has(jti)) this.#absent.add(jti)
    }
    const keys = this.#withoutState(jtis)
    if (keys.length === 0) return
    const rows = await STATES_ONLY(database, keys)
    for (const row of rows) this.#rememberLink(row)
  }

  async loadAgents(database: Database, agent_ids: readonly string[]): Promise<void> {
    const unknown = missingFrom(this.#agents, agent_ids)
    if (unknown.length === 0) return
    const rows = await AGENTS(database, unknown)
    for (const row of rows) {
      this.#rememberAgent(row)
      this.#vouched.set(text(row.agent_id), row.is_vouched === true)
    }
    for (const agent_id of missingFrom(this.#agents, unknown)) this.#agents.set(agent_id, null)
  }

  /** Loads whether there are vouches for agents that were loaded with a token. */
  async loadVouched(database: Database, agent_ids: readonly string[]): Promise<void> {
    const unknown = missingFrom(this.#vouched, agent_ids)
    if (unknown.length === 0) return
    const rows = await VOUCHED(database, unknown)
    for (const agent_id of unknown) this.#vouched.set(agent_id, false)
    for (const row of rows) this.#vouched.set(text(row.agent_id), row.is_vouched === true)
  }

  async loadPeople(database: Database, human_refs: readonly string[]): Promise<void> {
    const unknown = missingFrom(this.#people, human_refs)
    if (unknown.length === 0) return
    const rows = await PEOPLE(database, unknown)
    for (const row of rows) this.#rememberPerson(row)
    for (const human_ref of missingFrom(this.#people, unknown)) this.#people.set(human_ref, null)
  }

  /** Loads the keys of names. Those without a key stay unknown. */
  async loadNames(database: Database, names: readonly string[]): Promise<void> {
    const unknown = missingFrom(this.names, names)
    if (unknown.length === 0) return
    const rows = await NAMES(database, unknown)
    for (const row of rows) this.names.set(text(row.name), integer(row.name_key))
  }

  /** Loads the keys of workflows. Those without a key stay unknown. */
  async loadWorkflows(database: Database, refs: readonly string[]): Promise<void> {
    const unknown = missingFrom(this.workflows, refs)
    if (unknown.length === 0) return
    const rows = await WORKFLOWS(database, unknown)
    for (const row of rows) this.workflows.set(text(row.provenance_ref), integer(row.workflow_key))
  }

  async loadDeferred(database: Database): Promise<void> {
    if (this.#deferred !== undefined) return
    const { rows } = await database.query('SELECT sums FROM deferred_sums ORDER BY batch')
    try {
      this.#deferred = SumsByMinute.of(rows.map((row) => text(row.sums)))
    } catch (cause) {
      throw damagedSums(cause)
    }
  }

  /** Called when all deferred sums are in their tables. */
  noteSettled(): void {
    this.#deferred = new SumsByMinute()
  }

  /**
   * The keys of what is loaded. Throws for anything else, because whatever is counted got its row in the same commit.
   */
  readonly storedKeys: SumKeys = {
    name: (name) => stored(this.names.get(name)),
    agent: (agent_id) => stored(this.#agents.get(agent_id)?.agent_key),
    workflow: (ref) => stored(this.workflows.get(ref)),
  }

  /** Drops keys, too, because those of a batch that was not committed belong to nothing. */
  forgetAll(): void {
    this.forgetChanging()
    for (const map of this.#lasting) map.clear()
  }

  /** Drops everything that another node may have changed. */
  forgetChanging(): void {
    this.forgetStates()
    this.pending.forget()
    this.#deferred = undefined
  }

  /** Drops what judges change. */
  forgetStates(): void {
    for (const known of this.#changing) known.clear()
    for (const map of this.#lasting) if (map.size > this.#most) map.clear()
  }

  /** Limits what is remembered. Called before a batch, when nothing is in use. */
  trim(): void {
    const isFull = ({ size }: { readonly size: number }) => size > this.#most
    if (this.#lasting.some(isFull) || this.#changing.some(isFull)) this.forgetStates()
  }

  #rememberToken(row: Row): void {
    const keyed = this.#tokens_by_key.get(integer(row.token_key)) ?? keyedToken(row, this.#open)
    this.#tokens.set(keyed.token.jti, keyed)
    this.#tokens_by_key.set(keyed.token_key, keyed)
  }

  /** Keeps the object that was read first, because links may share its marks. */
  #rememberAgent(row: Row): KnownAgentKey {
    const agent_id = text(row.agent_id)
    const known = this.#agents.get(agent_id)
    if (known) return known
    const agent = { agent_key: integer(row.agent_key), marks: joinedAgentMarks(row) }
    this.#agents.set(agent_id, agent)
    return agent
  }

  #rememberPerson(row: Row): Person {
    const known = this.#people.get(text(row.human_ref))
    if (known) return known
    const person = personOf(row)
    this.#people.set(person.human_ref, person)
    return person
  }

  #rememberLink(row: Row): void {
    const keyed = this.#tokens_by_key.get(integer(row.token_key))
    if (keyed === undefined || this.#links.has(keyed.token_key)) return
    this.#links.set(keyed.token_key, {
      token: keyed.token,
      state: stateOf(row.has_state === true ? row : undefined),
      agent: this.#rememberAgent(row).marks,
      human: this.#rememberPerson(row).marks,
    })
  }

  /** Returns the keys of tokens and their ancestors whose states aren't loaded. */
  #withoutState(jtis: readonly string[]): number[] {
    const keys = new Set<number>()
    for (const jti of jtis)
      for (
        let keyed = this.#tokens.get(jti);
        keyed !== undefined;
        keyed = this.#tokens_by_key.get(keyed.above_key ?? -1)
      )
        if (!this.#links.has(keyed.token_key)) keys.add(keyed.token_key)
    return [...keys]
  }
}

function stored(key: number | undefined): number {
  if (key === undefined) throw damagedSums('they name something that is not stored')
  return key
}

/**
 * Returns the error for deferred sums that can't be added up. Until they are repaired, only stops can be written: any
 * other batch may have to add them to their tables.
 */
function damagedSums(cause: unknown): StoreError {
  return new StoreError(
    'the rows of deferred_sums cannot be added up',
    'nothing_written',
    cause,
    false,
    'The counters of the last seconds are damaged in the database. Run `deputy check`.',
  )
}

function missingFrom(known: ReadonlyMap<string, unknown>, wanted: readonly string[]): string[] {
  return wanted.filter((key) => !known.has(key))
}
