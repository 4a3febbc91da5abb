import type { Link, Marks } from '../../domain/token.ts'
import type { KeyedToken } from '../rows/row-keys.ts'
import { keyedToken, marksOf, stateOf } from '../rows/tokens.ts'
import { integer, type Row, text } from '../values.ts'
import type { Database } from './connect.ts'
import { type Person, personOf } from './people.ts'

const REMEMBERED = 50_000

export interface KnownAgentKey {
  readonly agent_key: number
  readonly marks: Marks
}

/**
 * What this process remembers between batches. Tokens, names and keys never change and stay; states, marks and the absence
 * of rows are current while no other node has written, and are dropped when one has.
 */
export interface Memory {
  readonly names: Map<string, number>
  readonly workflows: Map<string, number>
  token(jti: string): KeyedToken | undefined
  tokenByKey(token_key: number): KeyedToken | undefined
  link(token_key: number): Link | undefined
  /** Null for an agent that does not exist; undefined while that is not known. */
  agent(agent_id: string): KnownAgentKey | null | undefined
  person(human_ref: string): Person | null | undefined
  isAbsent(jti: string): boolean
  addToken(keyed: KeyedToken, link: Link): void
  addAgent(agent_id: string, agent: KnownAgentKey): void
  addPerson(person: Person): void
  /** Loads tokens with their ancestors, their states and the marks on their holders. */
  loadTokens(database: Database, jtis: readonly string[]): Promise<void>
  loadAgents(database: Database, agent_ids: readonly string[]): Promise<void>
  loadPeople(database: Database, human_refs: readonly string[]): Promise<void>
  /** Loads the keys of names and workflows. Those without a key stay unknown. */
  loadNames(database: Database, names: readonly string[]): Promise<void>
  loadWorkflows(database: Database, refs: readonly string[]): Promise<void>
  forgetStates(): void
}

/** The state of a token and its holders. */
const STATE = `
  SELECT t.token_key, s.token_key IS NOT NULL AS has_state, s.revoked_at_ms, s.suspended_at_ms, s.spent_micro_usd,
    s.reserved_micro_usd, s.actions, s.minute, s.minute_actions, a.agent_id, a.agent_key,
    a.suspended_at_ms AS agent_suspended_at_ms, a.revoked_below AS agent_revoked_below, h.human_ref, h.human_key,
    h.revoked_below, h.data_key, h.erased_at_ms, k.wrapped`
const HOLDERS = `
  LEFT JOIN token_states s ON s.token_key = t.token_key JOIN agents a ON a.agent_key = t.agent_key
  JOIN humans h ON h.human_key = t.human_key LEFT JOIN data_keys k ON k.data_key = h.data_key`
const WHOLE_CHAINS = `
  ${STATE}, t.jti, t.parent_key, t.path, t.claims, t.jwt_hash, t.issued_at_ms, t.log_index
  FROM (SELECT DISTINCT unnest(ancestors) AS token_key FROM tokens WHERE jti = ANY($1)) wanted
  JOIN tokens t ON t.token_key = wanted.token_key ${HOLDERS}`
const STATES_ONLY = `${STATE} FROM tokens t ${HOLDERS} WHERE t.token_key = ANY($1)`
const PEOPLE = `
  SELECT h.*, k.wrapped FROM humans h LEFT JOIN data_keys k ON k.data_key = h.data_key WHERE h.human_ref = ANY($1)`

export function openMemory(): Memory {
  const names = new Map<string, number>()
  const workflows = new Map<string, number>()
  const tokens = new Map<string, KeyedToken>()
  const tokensByKey = new Map<number, KeyedToken>()
  const links = new Map<number, Link>()
  const agents = new Map<string, KnownAgentKey | null>()
  const people = new Map<string, Person | null>()
  const absent = new Set<string>()

  function forgetStates(): void {
    links.clear()
    agents.clear()
    people.clear()
    absent.clear()
    for (const map of [names, workflows, tokens, tokensByKey]) if (map.size > REMEMBERED) map.clear()
  }

  function rememberToken(row: Row): KeyedToken {
    const keyed = tokensByKey.get(integer(row.token_key)) ?? keyedToken(row)
    tokens.set(keyed.token.jti, keyed)
    tokensByKey.set(keyed.token_key, keyed)
    return keyed
  }

  /** Keeps the object that was read first, because links may share its marks. */
  function rememberAgent(row: Row): KnownAgentKey {
    const agent_id = text(row.agent_id)
    const known = agents.get(agent_id)
    if (known) return known
    const marks = marksOf({
      suspended_at_ms: row.agent_suspended_at_ms,
      revoked_below: row.agent_revoked_below,
    })
    const agent = { agent_key: integer(row.agent_key), marks }
    agents.set(agent_id, agent)
    return agent
  }

  function rememberPerson(row: Row): Person {
    const known = people.get(text(row.human_ref))
    if (known) return known
    const person = personOf(row)
    people.set(person.human_ref, person)
    return person
  }

  function rememberLink(row: Row): void {
    const keyed = tokensByKey.get(integer(row.token_key))
    if (keyed === undefined || links.has(keyed.token_key)) return
    links.set(keyed.token_key, {
      token: keyed.token,
      state: stateOf(row.has_state === true ? row : undefined),
      agent: rememberAgent(row).marks,
      human: rememberPerson(row).marks,
    })
  }

  /** The keys of tokens and their ancestors whose states are not loaded. */
  function withoutState(jtis: readonly string[]): number[] {
    const keys = new Set<number>()
    for (const jti of jtis)
      for (let keyed = tokens.get(jti); keyed !== undefined; keyed = tokensByKey.get(keyed.above_key ?? -1))
        if (!links.has(keyed.token_key)) keys.add(keyed.token_key)
    return [...keys]
  }

  return {
    names,
    workflows,
    token: (jti) => tokens.get(jti),
    tokenByKey: (token_key) => tokensByKey.get(token_key),
    link: (token_key) => links.get(token_key),
    agent: (agent_id) => agents.get(agent_id),
    person: (human_ref) => people.get(human_ref),
    isAbsent: (jti) => absent.has(jti),
    addToken(keyed, link) {
      tokens.set(keyed.token.jti, keyed)
      tokensByKey.set(keyed.token_key, keyed)
      links.set(keyed.token_key, link)
      absent.delete(keyed.token.jti)
    },
    addAgent: (agent_id, agent) => void agents.set(agent_id, agent),
    addPerson: (person) => void people.set(person.human_ref, person),
    async loadTokens(database, jtis) {
      const unknown = jtis.filter((jti) => !tokens.has(jti) && !absent.has(jti))
      if (unknown.length > 0) {
        const { rows } = await database.query(WHOLE_CHAINS, [unknown])
        for (const row of rows) rememberToken(row)
        for (const row of rows) rememberLink(row)
        for (const jti of unknown) if (!tokens.has(jti)) absent.add(jti)
      }
      const keys = withoutState(jtis)
      if (keys.length === 0) return
      const { rows } = await database.query(STATES_ONLY, [keys])
      for (const row of rows) rememberLink(row)
    },
    async loadAgents(database, agent_ids) {
      const unknown = agent_ids.filter((agent_id) => !agents.has(agent_id))
      if (unknown.length === 0) return
      const { rows } = await database.query(
        `SELECT agent_id, agent_key, suspended_at_ms AS agent_suspended_at_ms, revoked_below AS agent_revoked_below
         FROM agents WHERE agent_id = ANY($1)`,
        [unknown],
      )
      for (const row of rows) rememberAgent(row)
      for (const agent_id of unknown) if (!agents.has(agent_id)) agents.set(agent_id, null)
    },
    async loadPeople(database, human_refs) {
      const unknown = human_refs.filter((human_ref) => !people.has(human_ref))
      if (unknown.length === 0) return
      const { rows } = await database.query(PEOPLE, [unknown])
      for (const row of rows) rememberPerson(row)
      for (const human_ref of unknown) if (!people.has(human_ref)) people.set(human_ref, null)
    },
    async loadNames(database, wanted) {
      const unknown = wanted.filter((name) => !names.has(name))
      if (unknown.length === 0) return
      const { rows } = await database.query('SELECT name, name_key FROM names WHERE name = ANY($1)', [
        unknown,
      ])
      for (const row of rows) names.set(text(row.name), integer(row.name_key))
    },
    async loadWorkflows(database, refs) {
      const unknown = refs.filter((ref) => !workflows.has(ref))
      if (unknown.length === 0) return
      const { rows } = await database.query(
        'SELECT provenance_ref, workflow_key FROM workflows WHERE provenance_ref = ANY($1)',
        [unknown],
      )
      for (const row of rows) workflows.set(text(row.provenance_ref), integer(row.workflow_key))
    },
    forgetStates,
  }
}
