import { APPROVAL_STATES, DEFAULT_TENANT, type Level } from '@deputize/protocol'
import type { ApprovalState } from '../domain/approvals/approval.ts'
import type {
  ApprovalFilter,
  DenialFilter,
  RecordFilter,
  TenantFilter,
  TimeRange,
  TokenFilter,
} from './port/filters.ts'
import { isOfRevokedChain } from './revoked-chains.ts'
import { evidenceKey, FIRST_TENANT_KEY, levelKey, ratingKey, stateKey } from './values.ts'

/** How long a search for one page may run before it returns what it has found. */
export const PAGE_WORK_MS = 50

/** An SQL condition, with a question mark for each value. */
export interface Condition {
  readonly sql: string
  readonly values: readonly (number | string)[]
}

/** A condition that a column equals a value. An index begins with that column, followed by the key of its table. */
export interface KeyCondition extends Condition {
  /** Undefined if no index helps. */
  readonly column: string | undefined
}

/** Conditions on entries and on the tokens they were made with. */
export interface Search {
  /** Conditions on the table of the entries, aliased `e`. */
  readonly entry: readonly Condition[]
  /** Conditions on `tokens`, aliased `t`, most selective first. */
  readonly token: readonly KeyCondition[]
  readonly range: TimeRange
}

/** The tables that give texts integer keys. */
export type Interned = 'name' | 'agent' | 'human' | 'workflow'

/** The queries that find the key of a text. */
export const KEY_QUERIES: Readonly<Record<Interned, string>> = {
  name: 'SELECT name_key AS key FROM names WHERE name = ?',
  agent: 'SELECT agent_key AS key FROM agents WHERE agent_id = ?',
  human: 'SELECT human_key AS key FROM humans WHERE human_ref = ?',
  workflow: 'SELECT workflow_key AS key FROM workflows WHERE provenance_ref = ?',
}

/** Returns a condition on a column that holds a tenant's key, with its values. */
export function tenantCondition(
  column: string,
  { tenant_id }: TenantFilter,
): { readonly sql: string; readonly values: readonly string[] } {
  if (tenant_id === undefined) return { sql: 'true', values: [] }
  if (tenant_id === DEFAULT_TENANT) return { sql: `${column} = ${FIRST_TENANT_KEY}`, values: [] }
  return { sql: `${column} = (${KEY_QUERIES.name})`, values: [tenant_id] }
}

/** Turns filters into searches. */
export type Searches = ReturnType<typeof searches>

/** `aside` writes a column so that the planner doesn't choose an index on it. */
export function searches(
  keyOf: (kind: Interned, text: string) => number | undefined,
  aside: (column: string) => string = (column) => column,
) {
  /** Returns a condition on the key of a text, or 'nothing' if the text was never stored and no row can match. */
  function keyed(column: string, kind: Interned, text: string | undefined): KeyCondition[] | 'nothing' {
    if (text === undefined) return []
    const key = keyOf(kind, text)
    return key === undefined ? 'nothing' : [{ column, sql: `${column} = ?`, values: [key] }]
  }

  /** A tenant has more tokens than any of its people, agents or workflows, so their indexes are the better choice. */
  function ofTenant({ tenant_id, agent_id, human_ref, provenance_ref }: TokenFilter) {
    if (tenant_id === undefined) return []
    const key = tenant_id === DEFAULT_TENANT ? FIRST_TENANT_KEY : keyOf('name', tenant_id)
    if (key === undefined) return 'nothing'
    const isAlone = [agent_id, human_ref, provenance_ref].every((text) => text === undefined)
    if (isAlone) return [{ column: 't.tenant_key', sql: 't.tenant_key = ?', values: [key] }]
    return [{ column: undefined, sql: `${aside('t.tenant_key')} = ?`, values: [key] }]
  }

  function ofTokens(filter: TokenFilter) {
    const { agent_id, human_ref, provenance_ref, assurance_level } = filter
    return all<KeyCondition>([
      keyed('t.workflow_key', 'workflow', provenance_ref),
      keyed('t.human_key', 'human', human_ref),
      keyed('t.agent_key', 'agent', agent_id),
      ofTenant(filter),
      assurance_level === undefined ? [] : [levelCondition(assurance_level)],
    ])
  }

  function ofRecords({ action, resource, result, state, evidence, rating }: RecordFilter) {
    return all<Condition>([
      keyed('e.action_key', 'name', action),
      keyed('e.resource_key', 'name', resource),
      keyed('e.result_key', 'name', result),
      // The index on results excludes success, so the condition must repeat that.
      result === undefined || result === 'success' ? [] : [{ sql: 'e.result_key <> 1', values: [] }],
      state === undefined ? [] : [stateCondition(state)],
      evidence === undefined ? [] : [{ sql: 'e.evidence = ?', values: [evidenceKey(evidence)] }],
      rating === undefined
        ? []
        : [
            {
              sql: 'e.log_index IN (SELECT record_index FROM ratings WHERE rating = ?)',
              values: [ratingKey(rating)],
            },
          ],
    ])
  }

  function ofDenials({ action, resource, reason }: DenialFilter) {
    return all<Condition>([
      keyed('e.action_key', 'name', action),
      keyed('e.resource_key', 'name', resource),
      // Reasons are quoted words in a JSON text. The only wildcard of LIKE in them is _, which also matches itself.
      reason === undefined ? [] : [{ sql: 'e.reasons LIKE ?', values: [`%"${reason}"%`] }],
    ])
  }

  return {
    records: (filter: RecordFilter): Search | undefined =>
      search(ofRecords(filter), ofTokens(filter), filter),
    tokens: ofTokens,
    approvals: (filter: ApprovalFilter, now_ms: number): Search | undefined =>
      search(
        [
          ...(filter.state === undefined ? [] : [approvalCondition(filter.state, now_ms)]),
          ...(filter.approvers === undefined ? [] : [approverCondition(filter.approvers)]),
        ],
        ofTokens(filter),
        filter,
      ),
    denials: (filter: DenialFilter): Search | undefined =>
      search(ofDenials(filter), ofTokens(filter), filter),
  }
}

function search(
  entry: Condition[] | undefined,
  token: KeyCondition[] | undefined,
  range: TimeRange,
): Search | undefined {
  return entry === undefined || token === undefined ? undefined : { entry, token, range }
}

function all<T extends Condition>(parts: readonly (T[] | 'nothing')[]): T[] | undefined {
  return parts.includes('nothing') ? undefined : parts.filter((part) => part !== 'nothing').flat()
}

/** The index on levels excludes L1, so the condition must repeat that. */
function levelCondition(level: Level): KeyCondition {
  const values = [levelKey(level)]
  if (level === 'L1') return { column: undefined, sql: 't.level = ?', values }
  return { column: 't.level', sql: 't.level = ? AND t.level > 1', values }
}

/** An approval that was not decided or used in time, or before its token was revoked, counts as expired, whatever its row says. */
function approvalCondition(state: ApprovalState, now_ms: number): Condition {
  const place = APPROVAL_STATES.indexOf(state)
  const lapsed = `e.state < 2 AND e.used_by IS NULL AND (e.expires_at_ms <= ? OR ${isOfRevokedChain('e.token_key')})`
  if (state === 'denied') return { sql: 'e.state = ?', values: [place] }
  if (state === 'expired') return { sql: `(e.state = ? OR (${lapsed}))`, values: [place, now_ms] }
  return { sql: `e.state = ? AND NOT (${lapsed})`, values: [place, now_ms] }
}

/** Refs and roles are quoted in the JSON text of the column. Neither contains a wildcard of LIKE. */
function approverCondition(approvers: readonly string[]): Condition {
  const named = approvers.map(() => 'e.approvers LIKE ?').join(' OR ')
  return {
    sql: `e.approvers IS NOT NULL AND (${named === '' ? 'false' : named})`,
    values: approvers.map((one) => `%"${one}"%`),
  }
}

/** Worded so that the partial indexes on states other than completed apply. */
function stateCondition(state: NonNullable<RecordFilter['state']>): Condition {
  if (state === 'pending') return { sql: 'e.state = 0', values: [] }
  if (state === 'completed') return { sql: 'e.state = 1', values: [] }
  return { sql: 'e.state = ? AND e.state > 1', values: [stateKey(state)] }
}
