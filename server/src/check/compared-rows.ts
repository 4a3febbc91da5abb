import { hash } from 'node:crypto'
import {
  APPROVAL_STATES,
  type Claims,
  canonicalJson,
  DEFAULT_TENANT,
  tenantOf,
  tokenRef,
} from '@deputize/protocol'
import { type InnerLimits, readInnerLimits } from '../domain/tokens/inner-limits.ts'
import type { Leaf } from '../log/leaf.ts'
import type { TableRow } from '../store/port/store-tables.ts'
import { listText } from '../store/rows/approvals.ts'
import { evidenceKey, FIRST_TENANT_KEY, levelKey, ratingKey, stateKey } from '../store/values.ts'
import { compareRow, type RowComparison } from './compare-row.ts'
import { compareColumns, type ExpectedColumns, type Findings } from './findings.ts'
import {
  type ExpectedApproval,
  type ExpectedDenial,
  type ExpectedRating,
  type ExpectedRecord,
  type ExpectedToken,
  rootTokenOf,
} from './replay/expected.ts'
import type { SealedTexts } from './sealed-texts.ts'

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

/** The opened inner limits in a row, if their digest matches the leaf. If it doesn't, comparing the column reports it. */
export function boundInnerLimits(
  { jti, inner_limits }: TableRow,
  { inner_digest }: Leaf,
  texts: SealedTexts,
): InnerLimits | undefined {
  if (!(inner_limits instanceof Uint8Array)) return undefined
  const opened = texts.open(inner_limits, { kind: 'token.inner_limits', row: String(jti) })
  if (!('text' in opened) || opened.key.digest('inner_limits', opened.text) !== inner_digest) return undefined
  return readInnerLimits(opened.text)
}

/** The parsed text, which isn't trusted until its hash is compared. */
function parsedClaims(text: string): Claims | undefined {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

export function compareToken(row: TableRow, expected: ExpectedToken, comparison: RowComparison): void {
  const { findings, names } = comparison
  const { token, token_key, above } = expected
  const key = String(row.token_key)
  const jti = String(row.jti)
  const keys = chainKeys(expected)
  const values = {
    token_key,
    parent_key: above?.token_key ?? null,
    root_key: keys[0] ?? token_key,
    agent_id: token.agent_id,
    provenance_ref: token.provenance_ref,
    human_ref: token.human_ref,
    level: levelKey(token.assurance_level),
    issued_at_ms: token.issued_at_ms,
    jwt_hash: token.jwt_hash,
    path: keyPath(keys),
    expires_at_ms: token.limits.expires_at_ms,
  }
  const sealed = { purpose: expected.purpose, inner_limits: expected.inner_limits }
  compareRow('tokens', key, row, { values, sealed, sealed_for: jti }, comparison)
  compareColumns(findings, 'tokens', key, row, tenantColumns(token.agent_id))
  names.mark(row.tenant_key)
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
  if (tokenRef(jti) !== expected.ref)
    findings.add(
      'tokens',
      key,
      `Column jti of tokens ${key} is not the ID that leaf ${token.log_index} names.`,
    )
}

/** The tenant columns of a row: the first tenant has a fixed key, any other is compared by name. */
export function tenantColumns(agent_id: string): ExpectedColumns {
  const tenant_id = tenantOf(agent_id)
  return tenant_id === DEFAULT_TENANT ? { tenant_key: FIRST_TENANT_KEY } : { tenant_id }
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
  comparison: RowComparison,
): void {
  const { findings } = comparison
  const { log_index, aar_id, token } = expected
  const values = {
    aar_id,
    token_key: token.token_key,
    action: expected.action,
    resource: expected.resource,
    state: stateKey(expected.state),
    created_at_ms: expected.created_at_ms,
    result: expected.result ?? null,
    result_hash: expected.result_hash ?? null,
    spend_micro_usd: expected.spend_micro_usd,
    expires_at_ms: expected.expires_at_ms ?? null,
    completed_at_ms: expected.completed_at_ms ?? null,
    completed_index: expected.completed_index ?? null,
    completed_after_revocation: flagOf(expected.completed_after_revocation),
    over_budget: flagOf(expected.over_budget),
    exceeded: flagOf(expected.exceeded),
    completion_digest: expected.completion_digest ?? null,
    trace_id: expected.trace_id ?? null,
    evidence: evidenceKey(expected.evidence),
  }
  const sealed = { metadata: expected.metadata }
  compareRow('records', log_index, row, { values, sealed, sealed_for: aar_id }, comparison)
  compareColumns(findings, 'records', log_index, row, { parent_aar_id: expected.parent_aar_id ?? null })
  compareDangling(findings, log_index, row)
  if (row.parent_index === null) return
  const parent = tokens[Number(row.parent_token_key)]
  if (Number(row.parent_index) >= log_index || parent?.token.provenance_ref !== token.token.provenance_ref)
    findings.add(
      'records',
      log_index,
      `Record ${log_index} has a parent that came later or belongs to another workflow.`,
    )
}

function flagOf(value: boolean): 0 | 1 {
  return value ? 1 : 0
}

/** Reports keys without a target. In the joined row they look like absent keys, so they are checked separately. */
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

export function compareDenial(row: TableRow, expected: ExpectedDenial, comparison: RowComparison): void {
  const values = {
    denial_id: expected.denial_id,
    token_key: expected.token.token_key,
    action: expected.action,
    resource: expected.resource,
    spend_micro_usd: expected.spend_micro_usd,
    reasons: JSON.stringify(expected.reasons),
    created_at_ms: expected.created_at_ms,
    trace_id: expected.trace_id ?? null,
  }
  compareRow('denials', expected.log_index, row, { values, sealed: {} }, comparison)
}

export function compareRating(
  row: TableRow,
  expected: ExpectedRating,
  token: ExpectedToken | undefined,
  comparison: RowComparison,
): void {
  const { findings, replay } = comparison
  const { aar_id, note_digest: digest, log_index } = expected
  const key = String(row.record_index)
  const values = {
    rating: ratingKey(expected.rating),
    feedback_at_ms: expected.feedback_at_ms,
    rater_assurance: expected.rater_assurance,
  }
  compareColumns(findings, 'ratings', key, row, { aar_id })
  const isOfRecord =
    Number(row.record_index) < log_index &&
    token?.token.agent_id === expected.agent_id &&
    token.token.provenance_ref === expected.provenance_ref
  if (!isOfRecord || token === undefined) {
    compareColumns(findings, 'ratings', key, row, values)
    findings.add(
      'ratings',
      key,
      `Leaf ${log_index} rates a record of another agent or workflow, or a later record.`,
    )
    return
  }
  const { human_ref } = token.token
  const human = digest === undefined ? undefined : replay.humans.get(human_ref)
  if (human !== undefined) human.needs_key = true // only the record names the person, not the leaf
  const note = digest === undefined ? undefined : ({ human_ref, kind: 'note', digest, log_index } as const)
  compareRow('ratings', key, row, { values, sealed: { note }, sealed_for: aar_id }, comparison)
}

export function compareApproval(row: TableRow, expected: ExpectedApproval, comparison: RowComparison): void {
  const { approval_id, metadata, note } = expected
  const values = {
    approval_id,
    token_key: expected.token.token_key,
    action: expected.action,
    resource: expected.resource,
    spend_micro_usd: expected.spend_micro_usd,
    binding: expected.binding,
    root_key: rootTokenOf(expected.token).token_key,
    human_ref: expected.token.token.human_ref,
    shape: expected.shape ?? null,
    approvers: listText(expected.approvers),
    endorsements: listText(expected.endorsements),
    granted: expected.granted === undefined ? null : canonicalJson(expected.granted),
    grant_id: expected.grant_id ?? null,
    state: APPROVAL_STATES.indexOf(expected.state),
    created_at_ms: expected.created_at_ms,
    expires_at_ms: expected.expires_at_ms,
    decided_at_ms: expected.decided_at_ms ?? null,
    decided_by: expected.decided_by ?? null,
    decided_index: expected.decided_index ?? null,
    used_by: expected.used_by ?? null,
  }
  const sealed = { metadata, note }
  compareRow('approvals', expected.log_index, row, { values, sealed, sealed_for: approval_id }, comparison)
}
