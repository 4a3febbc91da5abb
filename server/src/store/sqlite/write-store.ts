import type { DatabaseSync } from 'node:sqlite'
import { decodeFrontier, emptyFrontier, type Frontier } from '@deputize/protocol'
import type { Facts, Needs, WriteStore } from '../port.ts'
import { StoreError } from '../port.ts'
import { tallyOf } from '../rows/tallies.ts'
import { bytes, integer, optionalText, text } from '../values.ts'
import { openVault, type Vault } from '../vault.ts'
import { changeWriter } from './change-writer.ts'
import { openForWriting } from './connect.ts'
import { recordReader } from './entries.ts'
import { approvalReader } from './habits.ts'
import { liveTokens } from './live-tokens.ts'
import { addMissingNodes } from './log.ts'
import { nameReader } from './names.ts'
import { type People, people as peopleOf } from './people.ts'
import { registryReader, registryWriter } from './registry.ts'
import { type Replays, replayStore } from './replays.ts'
import { keyring } from './row-keys.ts'
import { clearLeftovers, scrub } from './scrub.ts'
import { sealExisting } from './seal-existing.ts'
import { type FieldOpener, fieldOpener } from './sealed-fields.ts'
import { type TokenReader, tokenReader } from './tokens.ts'

export interface SqliteOptions {
  readonly file: string
  /** The deployment that the file must belong to; a new file is stamped with it. */
  readonly instance: string
  /** The key that its vault is opened with. */
  readonly vault_key: Uint8Array
  readonly clock: () => number
}

/** The embedded store: one file, one writer, one durable commit for each batch. */
export function sqliteWriteStore({ file, instance, vault_key, clock }: SqliteOptions): WriteStore {
  const db = openForWriting(file)
  clearLeftovers(db)
  const vault = openVault(vault_key)
  assertInstance(db, instance)
  addMissingNodes(db)
  const keys = keyring(db)
  const people = peopleOf(db, vault, keys)
  sealExisting(db, people)
  assertVault(db, vault)
  const open = fieldOpener(db, vault)
  const tokens = tokenReader(db)
  const replays = replayStore(db, people, open)
  const load = loader(db, tokens, people, replays, open)
  const write = changeWriter(db, tokens, keys, people, replays, registryWriter(db, people))
  let head = readHead(db)

  function forget(): void {
    tokens.forget()
    keys.forget()
    people.forget()
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
      return changes.scrub ? scrub(db).then(() => result) : result
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

/** With another key everybody would look erased, so a store that was sealed with another one is not opened. */
function assertVault(db: DatabaseSync, { deployment }: Vault): void {
  const place = { kind: 'check', row: 'vault' } as const
  const find = db.prepare(`SELECT value FROM deployment WHERE name = 'vault'`)
  const known = find.get()?.value
  if (known === undefined) {
    const sealed = Buffer.from(deployment.seal(place, 'open')).toString('base64url')
    db.prepare(`INSERT INTO deployment (name, value) VALUES ('vault', ?)`).run(sealed)
    return
  }
  try {
    deployment.open(place, Buffer.from(text(known), 'base64url'))
  } catch (cause) {
    throw new Error('the store was sealed with another secret than that of the keys beside it', { cause })
  }
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

/**
 * Loads what a batch looks at. This connection is the only writer, so states of tokens that were read or changed in
 * earlier batches are still true; when a transaction comes to nothing they are forgotten.
 */
function loader(db: DatabaseSync, tokens: TokenReader, people: People, replays: Replays, open: FieldOpener) {
  const names = nameReader(db)
  const stored = recordReader(db, tokens, names, open)
  const approvals = approvalReader(db, tokens, names, open)
  const registry = registryReader(db, open)
  const census = liveTokens(db, tokens)
  const agentById = db.prepare('SELECT * FROM agents WHERE agent_id = ?')
  const humanByRef = db.prepare('SELECT 1 FROM humans WHERE human_ref = ?')
  const overdueIds = db.prepare(
    'SELECT aar_id FROM records WHERE state = 0 AND expires_at_ms <= ? ORDER BY expires_at_ms LIMIT ?',
  )

  return (needs: Needs, now_ms: number, frontier: Frontier): Facts => {
    tokens.trim()
    return {
      now_ms,
      frontier,
      overdue:
        needs.overdue === 0 ? [] : overdueIds.all(now_ms, needs.overdue).map((row) => text(row.aar_id)),
      chain: tokens.chain,
      record: stored.record,
      approval: approvals.approval,
      openApproval: approvals.open,
      countOpenApprovals: (jti) => approvals.countOpen(jti, now_ms),
      habit: approvals.habit,
      agentMarks: tokens.agentMarks,
      humanMarks: (human_ref) =>
        humanByRef.get(human_ref) === undefined ? undefined : tokens.humanMarks(human_ref),
      agent(agent_id) {
        const row = agentById.get(agent_id)
        return row === undefined ? undefined : { profile: optionalText(row.profile), tally: tallyOf(row) }
      },
      registry: registry.entry,
      person: people.known,
      digest: people.digest,
      replay: (key) => replays.find(key, now_ms),
      countLive: (jti) => census.below(jti, now_ms),
      countLiveOf: (owner) => census.of(owner, now_ms),
    }
  }
}
