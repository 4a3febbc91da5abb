import type { DatabaseSync, SQLInputValue } from 'node:sqlite'
import { sealedReplay } from '../rows/replays.ts'
import { integer, type Row, text } from '../values.ts'
import type { Place } from '../vault.ts'
import { inOneCommit } from './write/in-one-commit.ts'
import type { People } from './write/people.ts'
import { emptyLog } from './write/scrub.ts'

const PAGE = 1_000

/** Columns whose text was stored unsealed. `owner` joins the token whose person the text belongs to. */
const FIELDS: readonly {
  readonly table: string
  readonly key: string
  readonly column: string
  readonly kind: Place['kind']
  readonly row: string
  readonly owner: string
}[] = [
  {
    table: 'records',
    key: 'log_index',
    column: 'metadata',
    kind: 'record.metadata',
    row: 'e.aar_id',
    owner: 'JOIN tokens t ON t.token_key = e.token_key',
  },
  {
    table: 'ratings',
    key: 'record_index',
    column: 'note',
    kind: 'rating.note',
    row: 'r.aar_id',
    owner: 'JOIN records r ON r.log_index = e.record_index JOIN tokens t ON t.token_key = r.token_key',
  },
  {
    table: 'tokens',
    key: 'token_key',
    column: 'purpose',
    kind: 'token.purpose',
    row: 'e.jti',
    owner: 'JOIN tokens t ON t.token_key = e.token_key',
  },
  {
    table: 'token_states',
    key: 'token_key',
    column: 'revoke_reason',
    kind: 'token.reason',
    row: 't.jti',
    owner: 'JOIN tokens t ON t.token_key = e.token_key',
  },
  {
    table: 'approvals',
    key: 'log_index',
    column: 'metadata',
    kind: 'approval.metadata',
    row: 'e.approval_id',
    owner: 'JOIN tokens t ON t.token_key = e.token_key',
  },
  {
    table: 'approvals',
    key: 'log_index',
    column: 'note',
    kind: 'approval.note',
    row: 'e.approval_id',
    owner: 'JOIN tokens t ON t.token_key = e.token_key',
  },
]

/**
 * Seals text that earlier versions stored unsealed, once, when the store is opened. A crash before the commit leaves the
 * store unchanged; a crash after it leaves a mark, and the next start clears the copies in free pages.
 */
export function sealExisting(db: DatabaseSync, people: People): void {
  if (hasColumn(db, 'records', 'plain_metadata')) inOneCommit(db, () => sealAll(db, people))
  if (db.prepare(`SELECT 1 FROM deployment WHERE name = 'to_clear'`).get() !== undefined) {
    db.exec('VACUUM')
    if (!emptyLog(db)) throw new Error('the store is in use: copies of unsealed text could not be cleared')
    db.exec(`DELETE FROM deployment WHERE name = 'to_clear'`)
  }
}

function sealAll(db: DatabaseSync, people: People): void {
  const triggers = db.prepare(`SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'`).all()
  for (const { name } of triggers) db.exec(`DROP TRIGGER ${text(name)}`)
  for (const field of FIELDS) sealField(db, people, field)
  keyCompletions(db, people)
  sealReplays(db, people)
  for (const { sql } of triggers) db.exec(text(sql))
  if (db.prepare('SELECT 1 FROM leaves LIMIT 1').get() !== undefined)
    db.exec(`INSERT INTO deployment (name, value) VALUES ('to_clear', 'words that were sealed')`)
}

function sealField(
  db: DatabaseSync,
  people: People,
  { table, key, column, kind, row, owner }: (typeof FIELDS)[number],
): void {
  const words = `SELECT e.${key} AS key, ${row} AS row, h.human_ref, e.plain_${column} AS plain
    FROM ${table} e ${owner} JOIN humans h ON h.human_key = t.human_key WHERE e.plain_${column} IS NOT NULL`
  const update = db.prepare(`UPDATE ${table} SET ${column} = ?, plain_${column} = NULL WHERE ${key} = ?`)
  for (const one of pagesOf(db, words, `e.${key}`)) {
    const place = { kind, row: text(one.row) }
    update.run(people.seal(text(one.human_ref), place, text(one.plain)), integer(one.key))
  }
  db.exec(`ALTER TABLE ${table} DROP COLUMN plain_${column}`)
}

/** Keys the digests of completions. They were not keyed, so their text could be guessed. */
function keyCompletions(db: DatabaseSync, people: People): void {
  const completions = `SELECT e.log_index AS key, h.human_ref, e.completion_digest AS plain
    FROM records e JOIN tokens t ON t.token_key = e.token_key JOIN humans h ON h.human_key = t.human_key
    WHERE e.completion_digest IS NOT NULL`
  const update = db.prepare('UPDATE records SET completion_digest = ? WHERE log_index = ?')
  for (const { key, human_ref, plain } of pagesOf(db, completions, 'e.log_index'))
    update.run(people.digest(text(human_ref), 'completion', text(plain)), integer(key))
}

function sealReplays(db: DatabaseSync, people: People): void {
  const replays = 'SELECT e.replay_key AS key, e.* FROM replays e WHERE true'
  const update = db.prepare(
    `UPDATE replays SET fingerprint = ?, outcome = ?, plain_outcome = '' WHERE replay_key = ?`,
  )
  for (const row of pagesOf(db, replays, 'e.replay_key')) {
    const key = text(row.replay_key)
    const fingerprint = people.digest(undefined, 'request', text(row.fingerprint))
    const expires_at_ms = integer(row.expires_at_ms)
    const outcome: unknown = JSON.parse(text(row.plain_outcome))
    const parts = (Array.isArray(outcome) ? outcome : [outcome]).map((part) => ({
      human_ref: personIn(part),
      outcome: JSON.stringify(part),
    }))
    update.run(fingerprint, sealedReplay({ key, fingerprint, expires_at_ms, parts }, people), key)
  }
  db.exec('ALTER TABLE replays DROP COLUMN plain_outcome')
}

/** Returns the person that a stored answer names. Every answer with personal data names its person. */
function personIn(answer: unknown): string | undefined {
  if (typeof answer !== 'object' || answer === null) return undefined
  const { human_ref, claims, outcome } = answer as Record<string, unknown> // an object, whose members are checked
  if (typeof human_ref === 'string') return human_ref
  if (outcome !== undefined) return personIn(outcome)
  const { svc_human_ref } = (claims ?? {}) as Record<string, unknown> // as above
  return typeof svc_human_ref === 'string' ? svc_human_ref : undefined
}

/** Yields all rows of a query, a page at a time, so that rows may be changed meanwhile. */
function* pagesOf(db: DatabaseSync, query: string, key: string): Generator<Row> {
  const first = db.prepare(`${query} ORDER BY ${key} LIMIT ${PAGE}`)
  const next = db.prepare(`${query} AND ${key} > ? ORDER BY ${key} LIMIT ${PAGE}`)
  let rows = first.all()
  while (rows.length > 0) {
    yield* rows
    const last: SQLInputValue | undefined = rows.at(-1)?.key
    if (last === undefined) return
    rows = next.all(last)
  }
}

function hasColumn(db: DatabaseSync, table: string, column: string): boolean {
  return db.prepare('SELECT 1 FROM pragma_table_info(?) WHERE name = ?').get(table, column) !== undefined
}
