import { hash } from 'node:crypto'
import { type Claims, canonicalJson, DEFAULT_TENANT, tenantOf, tokenRef } from '@deputize/protocol'
import { APPROVAL_STATES } from '../domain/approval.ts'
import type { Leaf } from '../log/leaf.ts'
import type { TableRow } from '../store/port.ts'
import { evidenceKey, FIRST_TENANT_KEY, levelKey, ratingKey, stateKey } from '../store/values.ts'
import { type Columns, compareColumns, type Findings } from './findings.ts'
import type { NamesInUse } from './names.ts'
import type { Story, ToldApproval, ToldDenial, ToldRating, ToldRecord, ToldToken } from './replay/expected.ts'
import type { SealedWords } from './sealed-words.ts'

/** What it takes to compare one row with what was told of it. */
export interface RowComparison {
  readonly findings: Findings
  readonly words: SealedWords
  readonly names: NamesInUse
  readonly story: Story
}

/** The claims of a row, if they are those whose hash stands in the leaf. */
export function boundClaims(row: TableRow, leaf: Leaf, findings: Findings): Claims | undefined {
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

export function compareToken(
  row: TableRow,
  told: ToldToken,
  { findings, words, names }: RowComparison,
): void {
  const { token, token_key, above } = told
  const key = String(row.token_key)
  const keys = keysOf(told)
  compareColumns(findings, 'tokens', key, row, {
    token_key,
    parent_key: above?.token_key ?? null,
    root_key: rootKey(told),
    agent_id: token.agent_id,
    ...tenantColumns(token.agent_id),
    provenance_ref: token.provenance_ref,
    human_ref: token.human_ref,
    level: levelKey(token.assurance_level),
    issued_at_ms: token.issued_at_ms,
    jwt_hash: token.jwt_hash,
    path: pathOf(keys),
    expires_at_ms: token.limits.expires_at_ms,
  })
  if ('ancestors' in row)
    compareColumns(
      findings,
      'tokens',
      key,
      { ancestors: JSON.stringify(row.ancestors) }, // the driver gives large integers in lists as texts
      { ancestors: JSON.stringify(keys.map(String)) },
    )
  if (token.jti !== told.ref)
    compareColumns(findings, 'tokens', key, row, {
      status_index: token.claims.status?.status_list.idx ?? null,
    })
  names.mark(row.tenant_key)
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

/** How a row says which tenant an agent belongs to: the first has no name, and any other goes by its name alone. */
export function tenantColumns(agent_id: string): Columns {
  const tenant_id = tenantOf(agent_id)
  return tenant_id === DEFAULT_TENANT ? { tenant_key: FIRST_TENANT_KEY } : { tenant_id }
}

function rootKey(told: ToldToken): number {
  return told.above === undefined ? told.token_key : rootKey(told.above)
}

/** The keys from the root down to the token. */
function keysOf({ above, token_key }: ToldToken): number[] {
  return above === undefined ? [token_key] : [...keysOf(above), token_key]
}

/** Eight bytes for each. */
function pathOf(keys: readonly number[]): Uint8Array {
  const path = Buffer.alloc(keys.length * 8)
  for (const [index, key] of keys.entries()) path.writeBigUInt64BE(BigInt(key), index * 8)
  return path
}

export function compareRecord(
  row: TableRow,
  told: ToldRecord,
  tokens: readonly (ToldToken | undefined)[],
  { findings, words, names }: RowComparison,
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
    evidence: evidenceKey(told.evidence),
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

export function compareDenial(row: TableRow, told: ToldDenial, { findings, names }: RowComparison): void {
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

export function compareRating(
  row: TableRow,
  told: ToldRating,
  token: ToldToken | undefined,
  { findings, words, story }: RowComparison,
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

export function compareApproval(
  row: TableRow,
  told: ToldApproval,
  { findings, words, names }: RowComparison,
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
