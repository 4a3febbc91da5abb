import { hash } from 'node:crypto'
import { type Claims, canonicalJson, DEFAULT_TENANT, tenantOf, tokenRef } from '@deputize/protocol'
import { APPROVAL_STATES } from '../domain/approval.ts'
import type { Leaf } from '../log/leaf.ts'
import type { TableRow } from '../store/port.ts'
import { evidenceKey, FIRST_TENANT_KEY, levelKey, ratingKey, stateKey } from '../store/values.ts'
import { type ComparedColumns, compareColumns, type ExpectedColumns, type Findings } from './findings.ts'
import type { NamesInUse } from './names.ts'
import type {
  ExpectedApproval,
  ExpectedDenial,
  ExpectedRating,
  ExpectedRecord,
  ExpectedToken,
  ReplayState,
} from './replay/expected.ts'
import type { SealedTexts } from './sealed-texts.ts'

/** Everything that a row comparison uses. */
export interface RowComparison {
  readonly findings: Findings
  readonly texts: SealedTexts
  readonly names: NamesInUse
  readonly replay: ReplayState
}

/** The claims in a row, if their hash matches the leaf. */
export function boundClaims(row: TableRow, leaf: Leaf, findings: Findings): Claims | undefined {
  const text = String(row.claims)
  const claims = parsedClaims(text)
  const isBound =
    claims !== undefined &&
    JSON.stringify(claims) === text &&
    leaf.claims_hash === `sha256:${hash('sha256', canonicalJson(claims))}`
  if (isBound) return claims
  const key = String(row.token_key)
  findings.add(
    'tokens',
    key,
    `Column claims of tokens ${key} does not match the hash in leaf ${row.log_index}.`,
  )
  return undefined
}

/** The parsed text, which is not trusted until its hash is compared. */
function parsedClaims(text: string): Claims | undefined {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

export function compareToken(
  row: TableRow,
  expected: ExpectedToken,
  { findings, texts, names }: RowComparison,
): void {
  const { token, token_key, above } = expected
  const key = String(row.token_key)
  const keys = chainKeys(expected)
  /** Keys are compared by what they lead to; the rest has a check of its own below. */
  type Elsewhere = 'agent_key' | 'workflow_key' | 'human_key' | 'tenant_key'
  type Below = 'jti' | 'status_index' | 'purpose'
  const columns: ComparedColumns<'tokens', Elsewhere | Below | 'log_index' | 'claims'> = {
    token_key,
    parent_key: above?.token_key ?? null,
    root_key: rootKey(expected),
    level: levelKey(token.assurance_level),
    issued_at_ms: token.issued_at_ms,
    jwt_hash: token.jwt_hash,
    path: keyPath(keys),
    expires_at_ms: token.limits.expires_at_ms,
  }
  compareColumns(findings, 'tokens', key, row, {
    ...columns,
    agent_id: token.agent_id,
    ...tenantColumns(token.agent_id),
    provenance_ref: token.provenance_ref,
    human_ref: token.human_ref,
  })
  if ('ancestors' in row)
    compareColumns(
      findings,
      'tokens',
      key,
      { ancestors: JSON.stringify(row.ancestors) }, // the driver returns bigint arrays as strings
      { ancestors: JSON.stringify(keys.map(String)) },
    )
  if (token.jti !== expected.ref)
    compareColumns(findings, 'tokens', key, row, {
      status_index: token.claims.status?.status_list.idx ?? null,
    })
  names.mark(row.tenant_key)
  const jti = String(row.jti)
  if (tokenRef(jti) !== expected.ref)
    findings.add(
      'tokens',
      key,
      `Column jti of tokens ${key} is not the ID that leaf ${token.log_index} names.`,
    )
  const place = { kind: 'token.purpose', row: jti } as const
  texts.check({ table: 'tokens', key, column: 'purpose' }, row.purpose, place, expected.purpose)
}

/** The tenant columns of a row: the first tenant has a fixed key, any other is compared by name. */
export function tenantColumns(agent_id: string): ExpectedColumns {
  const tenant_id = tenantOf(agent_id)
  return tenant_id === DEFAULT_TENANT ? { tenant_key: FIRST_TENANT_KEY } : { tenant_id }
}

function rootKey(expected: ExpectedToken): number {
  return expected.above === undefined ? expected.token_key : rootKey(expected.above)
}

/** The keys from the root down to the token. */
function chainKeys({ above, token_key }: ExpectedToken): number[] {
  return above === undefined ? [token_key] : [...chainKeys(above), token_key]
}

/** Eight bytes for each key. */
function keyPath(keys: readonly number[]): Uint8Array {
  const path = Buffer.alloc(keys.length * 8)
  for (const [index, key] of keys.entries()) path.writeBigUInt64BE(BigInt(key), index * 8)
  return path
}

export function compareRecord(
  row: TableRow,
  expected: ExpectedRecord,
  tokens: readonly (ExpectedToken | undefined)[],
  { findings, texts, names }: RowComparison,
): void {
  const { log_index, aar_id, token } = expected
  /** Keys are compared by what they lead to. The cursor matched the log index. */
  type Elsewhere = 'log_index' | 'action_key' | 'resource_key' | 'result_key' | 'parent_index' | 'metadata'
  const columns: ComparedColumns<'records', Elsewhere> = {
    aar_id,
    token_key: token.token_key,
    state: stateKey(expected.state),
    created_at_ms: expected.created_at_ms,
    result_hash: expected.result_hash ?? null,
    spend_micro_usd: expected.spend_micro_usd,
    expires_at_ms: expected.expires_at_ms ?? null,
    completed_at_ms: expected.completed_at_ms ?? null,
    completed_index: expected.completed_index ?? null,
    completed_after_revocation: expected.completed_after_revocation ? 1 : 0,
    over_budget: expected.over_budget ? 1 : 0,
    completion_digest: expected.completion_digest ?? null,
    trace_id: expected.trace_id ?? null,
    evidence: evidenceKey(expected.evidence),
  }
  compareColumns(findings, 'records', log_index, row, {
    ...columns,
    action: expected.action,
    resource: expected.resource,
    result: expected.result ?? null,
    parent_aar_id: expected.parent_aar_id ?? null,
  })
  compareDangling(findings, log_index, row)
  if (row.parent_index !== null) {
    const parent = tokens[Number(row.parent_token_key)]
    if (Number(row.parent_index) >= log_index || parent?.token.provenance_ref !== token.token.provenance_ref)
      findings.add(
        'records',
        log_index,
        `Record ${log_index} has a parent that came later or belongs to another workflow.`,
      )
  }
  names.mark(row.action_key)
  names.mark(row.resource_key)
  names.mark(row.result_key)
  const place = { kind: 'record.metadata', row: aar_id } as const
  texts.check(
    { table: 'records', key: log_index, column: 'metadata' },
    row.metadata,
    place,
    expected.metadata,
  )
}

/** In the joined row, a key without a target looks like an absent key, so it is checked apart. */
function compareDangling(findings: Findings, log_index: number, row: TableRow): void {
  for (const [column, found] of [
    ['result_key', row.result],
    ['parent_index', row.parent_aar_id],
  ] as const) {
    if (row[column] !== null && found === null)
      findings.add(
        'records',
        log_index,
        `Column ${column} of records ${log_index} refers to a row that does not exist.`,
      )
  }
}

export function compareDenial(
  row: TableRow,
  expected: ExpectedDenial,
  { findings, names }: RowComparison,
): void {
  const columns: ComparedColumns<'denials', 'log_index' | 'action_key' | 'resource_key'> = {
    denial_id: expected.denial_id,
    token_key: expected.token.token_key,
    spend_micro_usd: expected.spend_micro_usd,
    reasons: JSON.stringify(expected.reasons),
    created_at_ms: expected.created_at_ms,
    trace_id: expected.trace_id ?? null,
  }
  compareColumns(findings, 'denials', expected.log_index, row, {
    ...columns,
    action: expected.action,
    resource: expected.resource,
  })
  names.mark(row.action_key)
  names.mark(row.resource_key)
}

export function compareRating(
  row: TableRow,
  expected: ExpectedRating,
  token: ExpectedToken | undefined,
  { findings, texts, replay }: RowComparison,
): void {
  const key = String(row.record_index)
  const columns: ComparedColumns<'ratings', 'record_index' | 'log_index' | 'note'> = {
    rating: ratingKey(expected.rating),
    feedback_at_ms: expected.feedback_at_ms,
    rater_assurance: expected.rater_assurance,
  }
  compareColumns(findings, 'ratings', key, row, { ...columns, aar_id: expected.aar_id })
  const isOfRecord =
    Number(row.record_index) < expected.log_index &&
    token?.token.agent_id === expected.agent_id &&
    token.token.provenance_ref === expected.provenance_ref
  if (!isOfRecord || token === undefined) {
    findings.add(
      'ratings',
      key,
      `Leaf ${expected.log_index} rates a record of another agent or workflow, or a later record.`,
    )
    return
  }
  const { human_ref } = token.token
  const { note_digest: digest, log_index } = expected
  if (digest !== undefined) {
    // Only the record names the person, the leaf does not.
    const human = replay.humans.get(human_ref)
    if (human !== undefined) human.needs_key = true
  }
  texts.check(
    { table: 'ratings', key, column: 'note' },
    row.note,
    { kind: 'rating.note', row: expected.aar_id },
    digest === undefined ? undefined : { human_ref, kind: 'note', digest, log_index },
  )
}

export function compareApproval(
  row: TableRow,
  expected: ExpectedApproval,
  { findings, texts, names }: RowComparison,
): void {
  const { log_index: key, approval_id } = expected
  type Elsewhere = 'log_index' | 'action_key' | 'resource_key' | 'metadata' | 'note'
  const columns: ComparedColumns<'approvals', Elsewhere> = {
    approval_id,
    token_key: expected.token.token_key,
    spend_micro_usd: expected.spend_micro_usd,
    binding: expected.binding,
    state: APPROVAL_STATES.indexOf(expected.state),
    created_at_ms: expected.created_at_ms,
    expires_at_ms: expected.expires_at_ms,
    decided_at_ms: expected.decided_at_ms ?? null,
    decided_by: expected.decided_by ?? null,
    decided_index: expected.decided_index ?? null,
    used_by: expected.used_by ?? null,
  }
  compareColumns(findings, 'approvals', key, row, {
    ...columns,
    action: expected.action,
    resource: expected.resource,
  })
  names.mark(row.action_key)
  names.mark(row.resource_key)
  const of = (kind: 'approval.metadata' | 'approval.note') => ({ kind, row: approval_id })
  texts.check(
    { table: 'approvals', key, column: 'metadata' },
    row.metadata,
    of('approval.metadata'),
    expected.metadata,
  )
  texts.check({ table: 'approvals', key, column: 'note' }, row.note, of('approval.note'), expected.note)
}
