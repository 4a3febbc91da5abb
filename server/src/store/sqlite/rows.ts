import type { DatabaseSync, SQLOutputValue } from 'node:sqlite'
import {
  type Claims,
  type Level,
  RATINGS,
  type Rating,
  type Reason,
  type RecordState,
  STATES,
} from '@deputy/protocol'
import type { StoredDenial } from '../../domain/denial.ts'
import type { StoredRecord } from '../../domain/record.ts'
import {
  type Chain,
  freshState,
  type Link,
  limitsOf,
  type Token,
  type TokenState,
} from '../../domain/token.ts'

export type Row = Record<string, SQLOutputValue>

/** How closed lists are kept: by position. The lists only ever grow at the end. */
const LEVEL_KEYS: readonly Level[] = ['L1', 'L2', 'L3']

export const levelKey = (level: Level): number => LEVEL_KEYS.indexOf(level) + 1
export const stateKey = (state: RecordState): number => STATES.indexOf(state)
export const ratingKey = (rating: Rating): number => RATINGS.indexOf(rating)

export const RECORD_COLUMNS = `
  r.*, t.jti AS vat_jti, root.jti AS root_jti, w.provenance_ref, a.agent_id, h.human_ref,
  action.name AS action, resource.name AS resource, result.name AS result, leaf.leaf_hash,
  parent.aar_id AS parent_aar_id, rating.rating, rating.note, rating.rater_assurance,
  rating.feedback_at_ms, rating.log_index AS rated_index`

export const RECORD_JOINS = `
  JOIN tokens t ON t.token_key = r.token_key
  JOIN tokens root ON root.token_key = t.root_key
  JOIN workflows w ON w.workflow_key = r.workflow_key
  JOIN agents a ON a.agent_key = r.agent_key
  JOIN humans h ON h.human_key = r.human_key
  JOIN names action ON action.name_key = r.action_key
  JOIN names resource ON resource.name_key = r.resource_key
  JOIN leaves leaf ON leaf.log_index = r.log_index
  LEFT JOIN names result ON result.name_key = r.result_key
  LEFT JOIN records parent ON parent.log_index = r.parent_index
  LEFT JOIN ratings rating ON rating.record_index = r.log_index`

export const DENIAL_COLUMNS = `
  d.*, t.jti AS vat_jti, t.claims, w.provenance_ref, a.agent_id,
  action.name AS action, resource.name AS resource, leaf.leaf_hash`

export const DENIAL_JOINS = `
  JOIN tokens t ON t.token_key = d.token_key
  JOIN workflows w ON w.workflow_key = d.workflow_key
  JOIN agents a ON a.agent_key = d.agent_key
  JOIN names action ON action.name_key = d.action_key
  JOIN names resource ON resource.name_key = d.resource_key
  JOIN leaves leaf ON leaf.log_index = d.log_index`

export function recordOf(row: Row): StoredRecord {
  return {
    aar_id: text(row.aar_id),
    vat_jti: text(row.vat_jti),
    root_jti: text(row.root_jti),
    provenance_ref: text(row.provenance_ref),
    agent_id: text(row.agent_id),
    human_ref: text(row.human_ref),
    assurance_level: member(LEVEL_KEYS, integer(row.level) - 1),
    delegation_depth: integer(row.depth),
    action: text(row.action),
    resource: text(row.resource),
    parent_aar_id: optionalText(row.parent_aar_id),
    trace_id: optionalText(row.trace_id),
    created_at_ms: integer(row.created_at_ms),
    log_index: integer(row.log_index),
    leaf_hash: bytes(row.leaf_hash),
    state: member(STATES, integer(row.state)),
    result: optionalText(row.result),
    result_hash: optionalText(row.result_hash),
    spend_micro_usd: integer(row.spend_micro_usd),
    metadata: optionalText(row.metadata),
    expires_at_ms: optionalInteger(row.expires_at_ms),
    completed_at_ms: optionalInteger(row.completed_at_ms),
    completed_after_revocation: row.completed_after_revocation === 1,
    over_budget: row.over_budget === 1,
    completed_log_index: optionalInteger(row.completed_index),
    completion_digest: optionalText(row.completion_digest),
    rating:
      row.rated_index === null
        ? undefined
        : {
            rating: member(RATINGS, integer(row.rating)),
            note: optionalText(row.note),
            rater_assurance: text(row.rater_assurance),
            feedback_at_ms: integer(row.feedback_at_ms),
            log_index: integer(row.rated_index),
          },
  }
}

export function denialOf(row: Row): StoredDenial {
  const claims = claimsOf(row)
  return {
    denial_id: text(row.denial_id),
    vat_jti: text(row.vat_jti),
    provenance_ref: text(row.provenance_ref),
    agent_id: text(row.agent_id),
    human_ref: claims.svc_human_ref,
    assurance_level: claims.svc_assurance_level,
    delegation_depth: claims.svc_delegation_depth,
    action: text(row.action),
    resource: text(row.resource),
    spend_micro_usd: integer(row.spend_micro_usd),
    // Written from a non-empty list of reasons, and never changed.
    reasons: JSON.parse(text(row.reasons)) as [Reason, ...Reason[]],
    trace_id: optionalText(row.trace_id),
    created_at_ms: integer(row.created_at_ms),
    log_index: integer(row.log_index),
    leaf_hash: bytes(row.leaf_hash),
  }
}

function tokenOf(row: Row): Token {
  const claims = claimsOf(row)
  return {
    jti: claims.jti,
    root_jti: claims.svc_root_jti,
    provenance_ref: claims.svc_provenance_ref,
    agent_id: claims.sub.slice('agent:'.length),
    human_ref: claims.svc_human_ref,
    assurance_level: claims.svc_assurance_level,
    delegation_depth: claims.svc_delegation_depth,
    scope: claims.svc_scope,
    limits: limitsOf(claims),
    claims,
    purpose: optionalText(row.purpose),
    issued_at_ms: integer(row.issued_at_ms),
    log_index: integer(row.log_index),
  }
}

/** The claims were checked and signed before they were written, and rows of tokens never change. */
function claimsOf(row: Row): Claims {
  return JSON.parse(text(row.claims)) as Claims
}

/** A token with the key it has inside the store, and that of its parent. */
interface KeyedToken {
  readonly token: Token
  readonly token_key: number
  readonly parent_key: number | undefined
}

/** Loads chains. Tokens never change and are remembered; their states are read from the open transaction. */
export interface ChainReader {
  /** Begins anew: states read before are forgotten. */
  begin(): void
  chain(jti: string): Chain | undefined
  keyOf(jti: string): number | undefined
  forget(): void
}

const REMEMBERED_TOKENS = 20_000

export function chainReader(db: DatabaseSync): ChainReader {
  const byJti = db.prepare('SELECT * FROM tokens WHERE jti = ?')
  const byKey = db.prepare('SELECT * FROM tokens WHERE token_key = ?')
  const stateByKey = db.prepare('SELECT * FROM token_states WHERE token_key = ?')
  const tokensByJti = new Map<string, KeyedToken>()
  const tokensByKey = new Map<number, KeyedToken>()
  let links = new Map<number, Link>()

  function remember(row: Row | undefined): KeyedToken | undefined {
    if (row === undefined) return undefined
    if (tokensByJti.size >= REMEMBERED_TOKENS) forget()
    const keyed = {
      token: tokenOf(row),
      token_key: integer(row.token_key),
      parent_key: optionalInteger(row.parent_key),
    }
    tokensByJti.set(keyed.token.jti, keyed)
    tokensByKey.set(keyed.token_key, keyed)
    return keyed
  }

  function forget(): void {
    tokensByJti.clear()
    tokensByKey.clear()
  }

  function linkOf({ token, token_key }: KeyedToken): Link {
    let link = links.get(token_key)
    if (link === undefined) {
      link = { token, state: tokenStateOf(stateByKey.get(token_key)) }
      links.set(token_key, link)
    }
    return link
  }

  function ancestorsOf({ parent_key }: KeyedToken): Link[] {
    if (parent_key === undefined) return []
    const parent = tokensByKey.get(parent_key) ?? remember(byKey.get(parent_key))
    if (parent === undefined) throw new Error(`token ${parent_key} is missing`)
    return [linkOf(parent), ...ancestorsOf(parent)]
  }

  const find = (jti: string) => tokensByJti.get(jti) ?? remember(byJti.get(jti))

  return {
    begin() {
      links = new Map()
    },
    chain(jti) {
      const keyed = find(jti)
      return keyed === undefined ? undefined : [linkOf(keyed), ...ancestorsOf(keyed)]
    },
    keyOf: (jti) => find(jti)?.token_key,
    forget,
  }
}

function tokenStateOf(row: Row | undefined): TokenState {
  if (row === undefined) return freshState()
  return {
    revoked_at_ms: optionalInteger(row.revoked_at_ms),
    revoke_reason: optionalText(row.revoke_reason),
    spent_micro_usd: integer(row.spent_micro_usd),
    reserved_micro_usd: integer(row.reserved_micro_usd),
    actions: integer(row.actions),
  }
}

export function integer(value: SQLOutputValue | undefined): number {
  if (typeof value !== 'number') throw new TypeError('the store holds no integer where one must be')
  return value
}

export function text(value: SQLOutputValue | undefined): string {
  if (typeof value !== 'string') throw new TypeError('the store holds no text where some must be')
  return value
}

export function bytes(value: SQLOutputValue | undefined): Uint8Array {
  if (!(value instanceof Uint8Array)) throw new TypeError('the store holds no bytes where some must be')
  return value
}

export function optionalInteger(value: SQLOutputValue | undefined): number | undefined {
  return value === null || value === undefined ? undefined : integer(value)
}

function optionalText(value: SQLOutputValue | undefined): string | undefined {
  return value === null || value === undefined ? undefined : text(value)
}

function member<T>(list: readonly T[], position: number): T {
  const found = list[position]
  if (found === undefined) throw new TypeError(`the store holds position ${position} of a shorter list`)
  return found
}
