import { hash } from 'node:crypto'
import { type Claims, canonicalJson } from '@deputy/protocol'
import { APPROVAL_STATES } from '../domain/approval.ts'
import { changesStanding, type Leaf, standsAlone, tokenRef } from '../log/leaf.ts'
import type { StoreTables, TableRow } from '../store/port.ts'
import { levelKey, ratingKey, stateKey } from '../store/sqlite/values.ts'
import { type Cursor, cursorOver } from './cursor.ts'
import { compareColumns, type Findings } from './findings.ts'
import type { Entry } from './log.ts'
import type { NamesInUse } from './names.ts'
import type { SealedWords } from './sealed-words.ts'
import type {
  Story,
  Telling,
  ToldApproval,
  ToldDenial,
  ToldRating,
  ToldRecord,
  ToldToken,
} from './story/story.ts'

/** Names and ids are looked up by the store, so that nothing but open rows is held here. */
const QUERIES = {
  tokens: `
    SELECT t.*, a.agent_id, h.human_ref, w.provenance_ref FROM tokens t
    LEFT JOIN agents a ON a.agent_key = t.agent_key LEFT JOIN humans h ON h.human_key = t.human_key
    LEFT JOIN workflows w ON w.workflow_key = t.workflow_key ORDER BY t.log_index, t.token_key`,
  records: `
    SELECT r.*, a.name AS action, b.name AS resource, c.name AS result, p.aar_id AS parent_aar_id,
      p.token_key AS parent_token_key
    FROM records r LEFT JOIN names a ON a.name_key = r.action_key LEFT JOIN names b ON b.name_key = r.resource_key
    LEFT JOIN names c ON c.name_key = r.result_key LEFT JOIN records p ON p.log_index = r.parent_index
    ORDER BY r.log_index`,
  denials: `
    SELECT d.*, a.name AS action, b.name AS resource FROM denials d
    LEFT JOIN names a ON a.name_key = d.action_key LEFT JOIN names b ON b.name_key = d.resource_key
    ORDER BY d.log_index`,
  approvals: `
    SELECT q.*, a.name AS action, b.name AS resource FROM approvals q
    LEFT JOIN names a ON a.name_key = q.action_key LEFT JOIN names b ON b.name_key = q.resource_key
    ORDER BY q.log_index`,
  ratings: `
    SELECT e.*, r.aar_id, r.token_key FROM ratings e LEFT JOIN records r ON r.log_index = e.record_index
    ORDER BY e.log_index, e.record_index`,
  standing_changes: 'SELECT log_index FROM standing_changes ORDER BY log_index',
  workflow_leaves: `
    SELECT l.log_index, w.provenance_ref FROM workflow_leaves l
    LEFT JOIN workflows w ON w.workflow_key = l.workflow_key ORDER BY l.log_index, l.workflow_key`,
} as const

type MadeTable = keyof typeof QUERIES

export interface MadeRowsOptions {
  readonly tables: StoreTables
  readonly findings: Findings
  readonly words: SealedWords
  readonly names: NamesInUse
  readonly story: Story
}

/** Compares every row that a leaf made with what the leaf, and those after it, told. Rows and leaves are in one order. */
export interface MadeRows {
  /** The claims that the leaf of a token names by their hash, if they are there. */
  claimsAt(entry: Entry): Promise<Claims | undefined>
  check(entry: Entry, telling: Telling): Promise<void>
  settle(telling: Telling): void
  /** Compares what never came to an end, and reports rows that no leaf made. */
  end(): Promise<void>
}

export async function madeRows(options: MadeRowsOptions): Promise<MadeRows> {
  const { tables, findings, names, story } = options
  const cursors = await openCursors(tables, findings)
  const heldRecords = new Map<ToldRecord, TableRow>()
  const heldApprovals = new Map<ToldApproval, TableRow>()
  const tokensByKey: (ToldToken | undefined)[] = [undefined]
  let tokenRow: TableRow | undefined

  async function take(table: MadeTable, log_index: number): Promise<TableRow | undefined> {
    const row = await cursors[table].take(log_index)
    if (row === undefined)
      findings.add(table, log_index, `The row of ${table} that leaf ${log_index} tells of is missing.`)
    return row
  }

  function checkToken(told: ToldToken): void {
    tokensByKey.push(told)
    if (tokenRow !== undefined) compareToken(tokenRow, told, options)
  }

  async function checkRecord(told: ToldRecord): Promise<void> {
    const row = await take('records', told.log_index)
    if (row !== undefined) heldRecords.set(told, row)
  }

  function closeRecord(told: ToldRecord): void {
    const row = heldRecords.get(told)
    heldRecords.delete(told)
    if (row === undefined) return
    compareRecord(row, told, tokensByKey, options)
  }

  async function checkRating(told: ToldRating): Promise<void> {
    const row = await take('ratings', told.log_index)
    if (row !== undefined) compareRating(row, told, tokensByKey[Number(row.token_key)], options)
  }

  async function checkApproval(told: ToldApproval): Promise<void> {
    const row = await take('approvals', told.log_index)
    if (row !== undefined) heldApprovals.set(told, row)
  }

  function settleApproval(told: ToldApproval): void {
    const row = heldApprovals.get(told)
    heldApprovals.delete(told)
    if (row !== undefined) compareApproval(row, told, options)
  }

  const settle = ({ settled }: Telling) => settled.forEach(settleApproval)

  return {
    settle,
    async claimsAt({ leaf, log_index }) {
      tokenRow = await take('tokens', log_index)
      return tokenRow === undefined ? undefined : boundClaims(tokenRow, leaf, findings)
    },
    async check({ log_index, leaf }, telling) {
      const { token, record, closed, denial, rating, approval } = telling
      if (token !== undefined) checkToken(token)
      if (record !== undefined) await checkRecord(record)
      if (closed !== undefined) closeRecord(closed)
      if (rating !== undefined) await checkRating(rating)
      if (approval !== undefined) await checkApproval(approval)
      if (changesStanding(leaf.type)) await take('standing_changes', log_index)
      if (standsAlone(leaf.type)) {
        const row = await take('workflow_leaves', log_index)
        if (row !== undefined)
          compareColumns(findings, 'workflow_leaves', log_index, row, { provenance_ref: leaf.provenance_ref })
      }
      if (denial !== undefined) {
        const row = await take('denials', log_index)
        if (row !== undefined) compareDenial(row, denial, options)
      }
      settle(telling)
    },
    async end() {
      for (const record of story.open_records.values()) closeRecord(record)
      for (const approval of story.approvals.values()) settleApproval(approval)
      for (const cursor of Object.values(cursors)) await cursor.end()
      await names.check()
    },
  }
}

async function openCursors(
  tables: StoreTables,
  findings: Findings,
): Promise<Readonly<Record<MadeTable, Cursor>>> {
  const open = (table: MadeTable) =>
    cursorOver(tables.rows(QUERIES[table]), 'log_index', ({ log_index }) =>
      findings.add(
        table,
        String(log_index),
        `The row of ${table} at ${log_index} is one that no leaf tells of.`,
      ),
    )
  return {
    tokens: await open('tokens'),
    records: await open('records'),
    denials: await open('denials'),
    approvals: await open('approvals'),
    ratings: await open('ratings'),
    standing_changes: await open('standing_changes'),
    workflow_leaves: await open('workflow_leaves'),
  }
}

/** The claims of a row, if they are those whose hash stands in the leaf. */
function boundClaims(row: TableRow, leaf: Leaf, findings: Findings): Claims | undefined {
  const text = String(row.claims)
  const claims = parsed(text)
  const isBound =
    claims !== undefined &&
    JSON.stringify(claims) === text &&
    leaf.claims_hash === `sha256:${hash('sha256', canonicalJson(claims))}`
  if (isBound) return claims
  const key = String(row.token_key)
  findings.add(
    'tokens',
    key,
    `Column claims of tokens ${key} is not what was hashed into leaf ${row.log_index}.`,
  )
  return undefined
}

/** What the text holds. It is believed only after its hash was compared. */
function parsed(text: string): Claims | undefined {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function compareToken(row: TableRow, told: ToldToken, { findings, words }: MadeRowsOptions): void {
  const { token, token_key, above } = told
  const key = String(row.token_key)
  compareColumns(findings, 'tokens', key, row, {
    token_key,
    parent_key: above?.token_key ?? null,
    root_key: rootKey(told),
    agent_id: token.agent_id,
    provenance_ref: token.provenance_ref,
    human_ref: token.human_ref,
    level: levelKey(token.assurance_level),
    issued_at_ms: token.issued_at_ms,
    jwt_hash: token.jwt_hash,
    path: pathOf(told),
    expires_at_ms: token.limits.expires_at_ms,
  })
  if (token.jti !== told.ref)
    compareColumns(findings, 'tokens', key, row, {
      status_index: token.claims.status?.status_list.idx ?? null,
    })
  const jti = String(row.jti)
  if (tokenRef(jti) !== told.ref)
    findings.add(
      'tokens',
      key,
      `Column jti of tokens ${key} is not the id that leaf ${token.log_index} names.`,
    )
  const place = { kind: 'token.purpose', row: jti } as const
  words.check({ table: 'tokens', key, column: 'purpose' }, row.purpose, place, told.purpose)
}

function rootKey(told: ToldToken): number {
  return told.above === undefined ? told.token_key : rootKey(told.above)
}

/** The keys from the root down to the token, eight bytes each. */
function pathOf(told: ToldToken): Uint8Array {
  const own = Buffer.alloc(8)
  own.writeBigUInt64BE(BigInt(told.token_key))
  return told.above === undefined ? own : Buffer.concat([pathOf(told.above), own])
}

function compareRecord(
  row: TableRow,
  told: ToldRecord,
  tokens: readonly (ToldToken | undefined)[],
  { findings, words, names }: MadeRowsOptions,
): void {
  const { log_index, aar_id, token } = told
  compareColumns(findings, 'records', log_index, row, {
    aar_id,
    token_key: token.token_key,
    action: told.action,
    resource: told.resource,
    state: stateKey(told.state),
    created_at_ms: told.created_at_ms,
    result: told.result ?? null,
    result_hash: told.result_hash ?? null,
    spend_micro_usd: told.spend_micro_usd,
    parent_aar_id: told.parent_aar_id ?? null,
    expires_at_ms: told.expires_at_ms ?? null,
    completed_at_ms: told.completed_at_ms ?? null,
    completed_index: told.completed_index ?? null,
    completed_after_revocation: Number(told.completed_after_revocation),
    over_budget: Number(told.over_budget),
    completion_digest: told.completion_digest ?? null,
    trace_id: told.trace_id ?? null,
  })
  compareDangling(findings, log_index, row)
  if (row.parent_index !== null) {
    const parent = tokens[Number(row.parent_token_key)]
    if (Number(row.parent_index) >= log_index || parent?.token.provenance_ref !== token.token.provenance_ref)
      findings.add(
        'records',
        log_index,
        `Record ${log_index} follows from one that came later, or of another workflow.`,
      )
  }
  names.mark(row.action_key)
  names.mark(row.resource_key)
  names.mark(row.result_key)
  const place = { kind: 'record.metadata', row: aar_id } as const
  words.check({ table: 'records', key: log_index, column: 'metadata' }, row.metadata, place, told.metadata)
}

/** A key that leads nowhere looks like no key at all to the query. */
function compareDangling(findings: Findings, log_index: number, row: TableRow): void {
  for (const [column, found] of [
    ['result_key', row.result],
    ['parent_index', row.parent_aar_id],
  ] as const) {
    if (row[column] !== null && found === null)
      findings.add('records', log_index, `Column ${column} of records ${log_index} leads nowhere.`)
  }
}

function compareDenial(row: TableRow, told: ToldDenial, { findings, names }: MadeRowsOptions): void {
  compareColumns(findings, 'denials', told.log_index, row, {
    denial_id: told.denial_id,
    token_key: told.token.token_key,
    action: told.action,
    resource: told.resource,
    spend_micro_usd: told.spend_micro_usd,
    reasons: JSON.stringify(told.reasons),
    created_at_ms: told.created_at_ms,
    trace_id: told.trace_id ?? null,
  })
  names.mark(row.action_key)
  names.mark(row.resource_key)
}

function compareRating(
  row: TableRow,
  told: ToldRating,
  token: ToldToken | undefined,
  { findings, words, story }: MadeRowsOptions,
): void {
  const key = String(row.record_index)
  compareColumns(findings, 'ratings', key, row, {
    aar_id: told.aar_id,
    rating: ratingKey(told.rating),
    feedback_at_ms: told.feedback_at_ms,
    rater_assurance: told.rater_assurance,
  })
  const isOfRecord =
    Number(row.record_index) < told.log_index &&
    token?.token.agent_id === told.agent_id &&
    token.token.provenance_ref === told.provenance_ref
  if (!isOfRecord || token === undefined) {
    findings.add(
      'ratings',
      key,
      `Leaf ${told.log_index} rates a record of another agent or workflow, or a later one.`,
    )
    return
  }
  const { human_ref } = token.token
  const { note_digest: digest, log_index } = told
  if (digest !== undefined) {
    // The leaf does not name the person, only the record does.
    const human = story.humans.get(human_ref)
    if (human !== undefined) human.needs_key = true
  }
  words.check(
    { table: 'ratings', key, column: 'note' },
    row.note,
    { kind: 'rating.note', row: told.aar_id },
    digest === undefined ? undefined : { human_ref, kind: 'note', digest, log_index },
  )
}

function compareApproval(
  row: TableRow,
  told: ToldApproval,
  { findings, words, names }: MadeRowsOptions,
): void {
  const { log_index: key, approval_id } = told
  compareColumns(findings, 'approvals', key, row, {
    approval_id,
    token_key: told.token.token_key,
    action: told.action,
    resource: told.resource,
    spend_micro_usd: told.spend_micro_usd,
    binding: told.binding,
    state: APPROVAL_STATES.indexOf(told.state),
    created_at_ms: told.created_at_ms,
    expires_at_ms: told.expires_at_ms,
    decided_at_ms: told.decided_at_ms ?? null,
    decided_by: told.decided_by ?? null,
    decided_index: told.decided_index ?? null,
    used_by: told.used_by ?? null,
  })
  names.mark(row.action_key)
  names.mark(row.resource_key)
  const of = (kind: 'approval.metadata' | 'approval.note') => ({ kind, row: approval_id })
  words.check(
    { table: 'approvals', key, column: 'metadata' },
    row.metadata,
    of('approval.metadata'),
    told.metadata,
  )
  words.check({ table: 'approvals', key, column: 'note' }, row.note, of('approval.note'), told.note)
}
