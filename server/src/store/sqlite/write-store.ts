import type { DatabaseSync, SQLInputValue } from 'node:sqlite'
import { decodeFrontier, emptyFrontier, encodeFrontier, type Frontier } from '@deputy/protocol'
import type { StoredRecord } from '../../domain/record.ts'
import type { Changes, Facts, Needs, NewToken, WriteStore } from '../port.ts'
import { StoreError } from '../port.ts'
import { openForWriting } from './open.ts'
import {
  bytes,
  type ChainReader,
  chainReader,
  integer,
  levelKey,
  RECORD_COLUMNS,
  RECORD_JOINS,
  ratingKey,
  recordOf,
  stateKey,
  text,
} from './rows.ts'

export interface SqliteOptions {
  readonly file: string
  /** The deployment that the file must belong to; a new file is stamped with it. */
  readonly instance: string
  readonly clock: () => number
}

/** The embedded store: one file, one writer, one durable commit for each batch. */
export function sqliteWriteStore({ file, instance, clock }: SqliteOptions): WriteStore {
  const db = openForWriting(file)
  assertInstance(db, instance)
  const chains = chainReader(db)
  const keys = keyring(db)
  const load = loader(db, chains)
  const write = writer(db, chains, keys)
  let head = readHead(db)

  function forget(): void {
    chains.forget()
    keys.forget()
    head = readHead(db)
  }

  return {
    transact(needs, judge) {
      const now_ms = Math.max(clock(), head.last_ms)
      begin(db)
      const { changes, result } = abortable(db, forget, () => {
        const judged = judge(load(needs, now_ms, head.frontier))
        write(judged.changes, now_ms)
        return judged
      })
      commit(db, forget)
      head = { frontier: changes.frontier, last_ms: now_ms }
      return result
    },
    close() {
      db.close()
    },
  }
}

/** Keys and store belong together: with other keys, people and digests would no longer be recognised. */
function assertInstance(db: DatabaseSync, instance: string): void {
  db.prepare('INSERT INTO deployment (name, value) VALUES (?, ?) ON CONFLICT DO NOTHING').run(
    'instance',
    instance,
  )
  const stamped = db.prepare('SELECT value FROM deployment WHERE name = ?').get('instance')?.value
  if (stamped !== instance) throw new Error('the store belongs to another deployment than the keys beside it')
}

interface Head {
  readonly frontier: Frontier
  readonly last_ms: number
}

/** Reads where the log ends, and refuses a store whose leaves do not reach exactly that far. */
function readHead(db: DatabaseSync): Head {
  const row = db.prepare('SELECT frontier, last_ms FROM log_head').get()
  const last = db.prepare('SELECT max(log_index) AS last FROM leaves').get()?.last
  const head =
    row === undefined
      ? { frontier: emptyFrontier(), last_ms: 0 }
      : { frontier: decodeFrontier(bytes(row.frontier)), last_ms: integer(row.last_ms) }
  const size = last === null || last === undefined ? 0 : integer(last) + 1
  if (size !== head.frontier.size) {
    throw new Error(
      `the log holds ${size} leaves, but its head says ${head.frontier.size}: the data is damaged`,
    )
  }
  return head
}

function begin(db: DatabaseSync): void {
  try {
    db.exec('BEGIN IMMEDIATE')
  } catch (cause) {
    throw new StoreError('the store does not take writes', 'nothing_written', cause)
  }
}

function commit(db: DatabaseSync, forget: () => void): void {
  try {
    db.exec('COMMIT')
  } catch (cause) {
    rollback(db, forget)
    throw new StoreError('the commit failed', 'unknown', cause)
  }
}

/** Runs the body of a transaction; whatever it throws undoes all of it. Errors of the disk become StoreErrors. */
function abortable<T>(db: DatabaseSync, forget: () => void, body: () => T): T {
  try {
    return body()
  } catch (error) {
    rollback(db, forget)
    if (isSqliteError(error)) throw new StoreError('the store could not be written', 'nothing_written', error)
    throw error
  }
}

function rollback(db: DatabaseSync, forget: () => void): void {
  if (db.isTransaction) db.exec('ROLLBACK')
  forget()
}

function isSqliteError(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ERR_SQLITE_ERROR'
}

function loader(db: DatabaseSync, chains: ChainReader) {
  const recordById = db.prepare(`SELECT ${RECORD_COLUMNS} FROM records r ${RECORD_JOINS} WHERE r.aar_id = ?`)
  const replayByKey = db.prepare('SELECT * FROM replays WHERE replay_key = ? AND expires_at_ms > ?')
  const overdueIds = db.prepare(
    'SELECT aar_id FROM records WHERE state = 0 AND expires_at_ms <= ? ORDER BY expires_at_ms LIMIT ?',
  )

  return (needs: Needs, now_ms: number, frontier: Frontier): Facts => {
    chains.begin()
    const records = new Map<string, StoredRecord>()
    const overdue =
      needs.overdue === 0 ? [] : overdueIds.all(now_ms, needs.overdue).map((row) => text(row.aar_id))
    for (const aar_id of [...needs.records, ...overdue]) {
      const row = recordById.get(aar_id)
      if (row !== undefined) records.set(aar_id, recordOf(row))
    }
    return {
      now_ms,
      frontier,
      overdue,
      chain: chains.chain,
      record: (aar_id) => records.get(aar_id),
      replay(key) {
        const row = replayByKey.get(key, now_ms)
        return row === undefined
          ? undefined
          : { fingerprint: text(row.fingerprint), outcome: text(row.outcome) }
      },
    }
  }
}

/** Text ids to integer keys, remembered for those in frequent use. */
interface Keyring {
  name(text: string): number
  human(human_ref: string): number
  agent(agent_id: string, now_ms: number): number
  workflow(provenance_ref: string): number
  forget(): void
}

const REMEMBERED_KEYS = 50_000

function keyring(db: DatabaseSync): Keyring {
  const caches: Map<string, number>[] = []

  function interned(find: string, insert: string): (text: string, ...more: SQLInputValue[]) => number {
    const found = db.prepare(find)
    const inserted = db.prepare(insert)
    const cache = new Map<string, number>()
    caches.push(cache)
    return (text, ...more) => {
      const known = cache.get(text)
      if (known !== undefined) return known
      if (cache.size >= REMEMBERED_KEYS) cache.clear()
      const row = found.get(text)
      const key = row === undefined ? Number(inserted.run(text, ...more).lastInsertRowid) : integer(row.key)
      cache.set(text, key)
      return key
    }
  }

  return {
    name: interned('SELECT name_key AS key FROM names WHERE name = ?', 'INSERT INTO names (name) VALUES (?)'),
    human: interned(
      'SELECT human_key AS key FROM humans WHERE human_ref = ?',
      'INSERT INTO humans (human_ref) VALUES (?)',
    ),
    agent: interned(
      'SELECT agent_key AS key FROM agents WHERE agent_id = ?',
      'INSERT INTO agents (agent_id, first_seen_ms) VALUES (?, ?)',
    ),
    workflow: interned(
      'SELECT workflow_key AS key FROM workflows WHERE provenance_ref = ?',
      'INSERT INTO workflows (provenance_ref) VALUES (?)',
    ),
    forget() {
      for (const cache of caches) cache.clear()
    },
  }
}

function writer(db: DatabaseSync, chains: ChainReader, keys: Keyring) {
  const insertLeaf = db.prepare('INSERT INTO leaves (log_index, leaf_hash, leaf) VALUES (?, ?, ?)')
  const setHead = db.prepare(`
    INSERT INTO log_head (only, frontier, last_ms) VALUES (1, ?, ?)
    ON CONFLICT DO UPDATE SET frontier = excluded.frontier, last_ms = excluded.last_ms`)
  const insertRecord = db.prepare(`
    INSERT INTO records (
      log_index, aar_id, token_key, workflow_key, agent_key, human_key, action_key, resource_key, level, depth, state,
      created_at_ms, result_key, result_hash, spend_micro_usd, parent_index, expires_at_ms, completed_at_ms,
      completed_index, completed_after_revocation, over_budget, completion_digest, trace_id, metadata
    ) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?,
      (SELECT log_index FROM records WHERE aar_id = ?), ?, ?, ?, ?, ?, ?, ?, ?)`)
  const closeRecord = db.prepare(`
    UPDATE records SET state = ?, result_key = ?, result_hash = ?, spend_micro_usd = ?, metadata = ?,
      completed_at_ms = ?, completed_index = ?, completed_after_revocation = ?, over_budget = ?, completion_digest = ?
    WHERE log_index = ?`)
  const insertRating = db.prepare(`
    INSERT INTO ratings (record_index, rating, feedback_at_ms, log_index, rater_assurance, note) VALUES (?, ?, ?, ?, ?, ?)`)
  const insertDenial = db.prepare(`
    INSERT INTO denials (
      log_index, denial_id, token_key, workflow_key, agent_key, action_key, resource_key, spend_micro_usd, reasons,
      created_at_ms, trace_id
    ) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`)
  const insertToken = db.prepare(`
    INSERT INTO tokens (
      jti, parent_key, root_key, agent_key, workflow_key, human_key, log_index, issued_at_ms, jwt_hash, claims, purpose
    ) VALUES (?, ?, coalesce(?, (SELECT coalesce(max(token_key), 0) + 1 FROM tokens)), ?, ?, ?, ?, ?, ?, ?, ?)`)
  const setState = db.prepare(`
    INSERT INTO token_states (token_key, revoked_at_ms, revoke_reason, spent_micro_usd, reserved_micro_usd, actions)
    VALUES (?, ?, ?, ?, ?, ?)
    ON CONFLICT DO UPDATE SET revoked_at_ms = excluded.revoked_at_ms, revoke_reason = excluded.revoke_reason,
      spent_micro_usd = excluded.spent_micro_usd, reserved_micro_usd = excluded.reserved_micro_usd,
      actions = excluded.actions`)
  const addToAgent = db.prepare(`
    UPDATE agents SET last_action_ms = iif(?, ?, last_action_ms), total_actions = total_actions + ?,
      completed_actions = completed_actions + ?, scored_actions = scored_actions + ?,
      outcome_halves = outcome_halves + ?, approved = approved + ?, flagged = flagged + ?, rejected = rejected + ?
    WHERE agent_key = ?`)
  const addToWorkflow = db.prepare(`
    UPDATE workflows SET total_records = total_records + ?, unique_agents = unique_agents + ? WHERE workflow_key = ?`)
  const countAgent = counter(db, 'workflow_agents', 'agent_key')
  const countAction = counter(db, 'workflow_actions', 'action_key')
  const countResult = counter(db, 'workflow_results', 'result_key')
  const insertReplay = db.prepare(`
    INSERT INTO replays (replay_key, fingerprint, outcome, expires_at_ms) VALUES (?, ?, ?, ?)
    ON CONFLICT DO UPDATE SET fingerprint = excluded.fingerprint, outcome = excluded.outcome,
      expires_at_ms = excluded.expires_at_ms`)
  const forgetReplays = db.prepare('DELETE FROM replays WHERE expires_at_ms <= ?')

  function tokenKey(jti: string): number {
    const key = chains.keyOf(jti)
    if (key === undefined) throw new Error('a change names a token that is not stored')
    return key
  }

  function writeLog({ leaves, frontier }: Changes, now_ms: number): void {
    if (leaves.length === 0) return
    let log_index = frontier.size - leaves.length
    for (const { text, hash } of leaves) insertLeaf.run(log_index++, hash, text)
    setHead.run(encodeFrontier(frontier), now_ms)
  }

  function writeToken({ token, parent_jti, jwt_hash }: NewToken, now_ms: number): void {
    insertToken.run(
      token.jti,
      parent_jti === undefined ? null : tokenKey(parent_jti),
      parent_jti === undefined ? null : tokenKey(token.root_jti),
      keys.agent(token.agent_id, now_ms),
      keys.workflow(token.provenance_ref),
      keys.human(token.human_ref),
      token.log_index,
      token.issued_at_ms,
      jwt_hash,
      JSON.stringify(token.claims),
      token.purpose ?? null,
    )
  }

  function writeStates({ states }: Changes): void {
    for (const [jti, state] of states) {
      setState.run(
        tokenKey(jti),
        state.revoked_at_ms ?? null,
        state.revoke_reason ?? null,
        state.spent_micro_usd,
        state.reserved_micro_usd,
        state.actions,
      )
    }
  }

  function writeCreated(record: StoredRecord): void {
    insertRecord.run(
      record.log_index,
      record.aar_id,
      tokenKey(record.vat_jti),
      keys.workflow(record.provenance_ref),
      keys.agent(record.agent_id, record.created_at_ms),
      keys.human(record.human_ref),
      keys.name(record.action),
      keys.name(record.resource),
      levelKey(record.assurance_level),
      record.delegation_depth,
      stateKey(record.state),
      record.created_at_ms,
      record.result === undefined ? null : keys.name(record.result),
      record.result_hash ?? null,
      record.spend_micro_usd,
      record.parent_aar_id ?? null,
      record.expires_at_ms ?? null,
      record.completed_at_ms ?? null,
      record.completed_log_index ?? null,
      Number(record.completed_after_revocation),
      Number(record.over_budget),
      record.completion_digest ?? null,
      record.trace_id ?? null,
      record.metadata ?? null,
    )
  }

  function writeClosed(record: StoredRecord): void {
    closeRecord.run(
      stateKey(record.state),
      record.result === undefined ? null : keys.name(record.result),
      record.result_hash ?? null,
      record.spend_micro_usd,
      record.metadata ?? null,
      record.completed_at_ms ?? null,
      record.completed_log_index ?? null,
      Number(record.completed_after_revocation),
      Number(record.over_budget),
      record.completion_digest ?? null,
      record.log_index,
    )
  }

  function writeEvidence({ ratings, denials }: Changes): void {
    for (const { record, rating } of ratings) {
      const { feedback_at_ms, log_index, rater_assurance, note } = rating
      insertRating.run(
        record.log_index,
        ratingKey(rating.rating),
        feedback_at_ms,
        log_index,
        rater_assurance,
        note ?? null,
      )
    }
    for (const denial of denials) {
      insertDenial.run(
        denial.log_index,
        denial.denial_id,
        tokenKey(denial.vat_jti),
        keys.workflow(denial.provenance_ref),
        keys.agent(denial.agent_id, denial.created_at_ms),
        keys.name(denial.action),
        keys.name(denial.resource),
        denial.spend_micro_usd,
        JSON.stringify(denial.reasons),
        denial.created_at_ms,
        denial.trace_id ?? null,
      )
    }
  }

  function writeCounters({ workflows, agents }: Changes, now_ms: number): void {
    for (const [provenance_ref, delta] of workflows) {
      const workflow = keys.workflow(provenance_ref)
      let newAgents = 0
      for (const [agent_id, n] of delta.agents)
        newAgents += countAgent(workflow, keys.agent(agent_id, now_ms), n)
      for (const [action, n] of delta.actions) countAction(workflow, keys.name(action), n)
      for (const [result, n] of delta.results) countResult(workflow, keys.name(result), n)
      if (delta.records > 0) addToWorkflow.run(delta.records, newAgents, workflow)
    }
    for (const [agent_id, tally] of agents) {
      const {
        total_actions,
        completed_actions,
        scored_actions,
        outcome_halves,
        approved,
        flagged,
        rejected,
      } = tally
      addToAgent.run(
        total_actions,
        now_ms,
        total_actions,
        completed_actions,
        scored_actions,
        outcome_halves,
        approved,
        flagged,
        rejected,
        keys.agent(agent_id, now_ms),
      )
    }
  }

  return (changes: Changes, now_ms: number): void => {
    writeLog(changes, now_ms)
    for (const token of changes.tokens) writeToken(token, now_ms)
    writeStates(changes)
    for (const record of changes.created) writeCreated(record)
    for (const record of changes.closed) writeClosed(record)
    writeEvidence(changes)
    writeCounters(changes, now_ms)
    for (const { key, fingerprint, outcome, expires_at_ms } of changes.replays) {
      insertReplay.run(key, fingerprint, outcome, expires_at_ms)
    }
    if (changes.forget_replays_before_ms !== undefined) forgetReplays.run(changes.forget_replays_before_ms)
    if (changes.probe) setHead.run(encodeFrontier(changes.frontier), now_ms)
  }
}

/** Adds to one kind of count of a workflow; answers how many rows that made, 0 or 1. */
function counter(
  db: DatabaseSync,
  table: string,
  column: string,
): (workflow: number, key: number, n: number) => number {
  const add = db.prepare(`UPDATE ${table} SET records = records + ? WHERE workflow_key = ? AND ${column} = ?`)
  const insert = db.prepare(`INSERT INTO ${table} (workflow_key, ${column}, records) VALUES (?, ?, ?)`)
  return (workflow, key, n) => {
    if (Number(add.run(n, workflow, key).changes) > 0) return 0
    insert.run(workflow, key, n)
    return 1
  }
}
