import type { Claims } from '@deputize/protocol'
import type { PeriodAccount } from '../../domain/times/spend-period.ts'
import { HOLDS_EVERYTHING, type InnerLimits, readInnerLimits } from '../../domain/tokens/inner-limits.ts'
import {
  freshState,
  type Marks,
  noMarks,
  type Token,
  type TokenState,
  type TokenWords,
  tokenOf,
} from '../../domain/tokens/token.ts'
import type { NewToken } from '../port/changes.ts'
import { rowReader } from '../row-reader.ts'
import { columnsOf, type RowOf } from '../tables.ts'
import {
  bytes,
  integer,
  levelKey,
  optionalInteger,
  optionalRank,
  optionalSuspendCode,
  type Row,
  rankKey,
  suspendCodeKey,
} from '../values.ts'
import type { Place } from '../vault.ts'
import { type KeyedToken, type RowKeys, sealedText, tenantKey } from './row-keys.ts'
import type { Opened } from './sealed-fields.ts'

const readToken = rowReader('tokens', ['claims', 'jwt_hash', 'issued_at_ms', 'log_index'])

/** Opens a token's sealed limits. */
export type InnerLimitsOpener = (sealed: unknown, place: Place) => Opened

/** Reads a row of `tokens`. Without an opener, the inner limits stay sealed. */
export function keyedToken(row: Row, open?: InnerLimitsOpener): KeyedToken {
  const token = storedToken(row)
  return {
    token: open === undefined ? token : { ...token, inner_limits: openedInnerLimits(row, token, open) },
    token_key: integer(row.token_key),
    above_key: optionalInteger(row.parent_key),
    path: bytes(row.path),
  }
}

/**
 * Opens a token's limits. An L3 token without limits holds everything, because emptying a row must not lift its limits.
 */
function openedInnerLimits(
  { inner_limits }: Row,
  { jti, assurance_level }: Token,
  open: InnerLimitsOpener,
): InnerLimits | undefined {
  const { text } = open(inner_limits, { kind: 'token.inner_limits', row: jti })
  if (text !== undefined) return readInnerLimits(text)
  return assurance_level === 'L3' ? HOLDS_EVERYTHING : undefined
}

/** Reads the part of a token that never changes, from four columns. */
export function storedToken(row: Row): Token {
  const { claims, jwt_hash, issued_at_ms, log_index } = readToken(row)
  // The claims were checked and signed before they were written, and rows of tokens never change.
  return tokenOf(JSON.parse(claims) as Claims, { jwt_hash, issued_at_ms, log_index })
}

/** Returns a new row of `tokens`. */
export function tokenRow(
  { token, purpose, above_jti, status_index, inner_limits }: NewToken,
  keys: RowKeys,
): RowOf<'tokens'> {
  const above = above_jti === undefined ? undefined : keys.token(above_jti)
  const { token_key, path } = keys.addToken(token, above)
  return {
    token_key,
    jti: token.jti,
    parent_key: above?.token_key ?? null,
    root_key: keys.token(token.root_jti).token_key,
    agent_key: keys.agent(token.agent_id),
    workflow_key: keys.workflow(token.provenance_ref),
    human_key: keys.human(token.human_ref),
    level: levelKey(token.assurance_level),
    log_index: token.log_index,
    issued_at_ms: token.issued_at_ms,
    jwt_hash: token.jwt_hash,
    claims: JSON.stringify(token.claims),
    purpose: sealedText(keys, token.human_ref, { kind: 'token.purpose', row: token.jti }, purpose),
    path,
    expires_at_ms: token.limits.expires_at_ms,
    status_index,
    tenant_key: tenantKey(token.agent_id, keys),
    // Sealed for the deployment, because erasing a person must not lift an agent's limits.
    inner_limits: sealedText(keys, undefined, { kind: 'token.inner_limits', row: token.jti }, inner_limits),
  }
}

type ReasonColumn = 'revoke_reason' | 'suspend_reason'
export type StateRow = Omit<RowOf<'token_states'>, ReasonColumn>

/** The columns of `token_states` that a batch sets. The reasons that people give are set separately. */
export const STATE_COLUMNS = columnsOf('token_states').filter(
  (name): name is keyof StateRow => name !== 'revoke_reason' && name !== 'suspend_reason',
)
/** The columns that replace those of an earlier state. */
export const CHANGED_STATE_COLUMNS = STATE_COLUMNS.filter((name) => name !== 'token_key')

const readState = rowReader('token_states', CHANGED_STATE_COLUMNS)

/** Reads a row of `token_states`. A token without one has the state it was issued with. */
export function stateOf(row: Row | undefined): TokenState {
  if (row === undefined) return freshState()
  const state = readState(row)
  return {
    revoked_at_ms: state.revoked_at_ms ?? undefined,
    suspended_at_ms: state.suspended_at_ms ?? undefined,
    suspended_rank: optionalRank(state.suspended_rank),
    suspend_code: optionalSuspendCode(state.suspend_code),
    spent_micro_usd: state.spent_micro_usd,
    reserved_micro_usd: state.reserved_micro_usd,
    actions: state.actions,
    minute: state.minute,
    minute_actions: state.minute_actions,
    periods: state.periods === null ? [] : readPeriods(state.periods),
    released_at_ms: state.released_at_ms ?? undefined,
  }
}

/** Returns spend per period as it is stored: JSON, or null if there is none. */
export function periodsText(periods: readonly PeriodAccount[]): string | null {
  if (periods.length === 0) return null
  return JSON.stringify(
    periods.map(({ kind, start_ms, spent_micro_usd, reserved_micro_usd }) => ({
      kind,
      start_ms,
      spent_micro_usd,
      reserved_micro_usd,
    })),
  )
}

function readPeriods(text: string): readonly PeriodAccount[] {
  // Only `periodsText` writes this column, and `deputy check` compares it with the log.
  return JSON.parse(text) as PeriodAccount[]
}

export function stateRow(jti: string, state: TokenState, keys: RowKeys): StateRow {
  return {
    token_key: keys.token(jti).token_key,
    revoked_at_ms: state.revoked_at_ms ?? null,
    suspended_at_ms: state.suspended_at_ms ?? null,
    suspended_rank: state.suspended_rank === undefined ? null : rankKey(state.suspended_rank),
    suspend_code: state.suspend_code === undefined ? null : suspendCodeKey(state.suspend_code),
    spent_micro_usd: state.spent_micro_usd,
    reserved_micro_usd: state.reserved_micro_usd,
    actions: state.actions,
    minute: state.minute,
    minute_actions: state.minute_actions,
    periods: periodsText(state.periods),
    released_at_ms: state.released_at_ms ?? null,
  }
}

export type ReasonRow = Pick<RowOf<'token_states'>, 'token_key' | 'revoke_reason'>

/** Returns the sealed reason of a revocation. */
export function reasonRow(jti: string, reason: string, keys: RowKeys): ReasonRow {
  const { token, token_key } = keys.token(jti)
  return { token_key, revoke_reason: keys.seal(token.human_ref, { kind: 'token.reason', row: jti }, reason) }
}

export type SuspendReasonRow = Pick<RowOf<'token_states'>, 'token_key' | 'suspend_reason'>

/** Returns the sealed reason of a suspension. Without a reason, the column is cleared. */
export function suspendReasonRow(jti: string, reason: string | undefined, keys: RowKeys): SuspendReasonRow {
  const { token, token_key } = keys.token(jti)
  const place = { kind: 'token.suspend_reason', row: jti } as const
  return { token_key, suspend_reason: sealedText(keys, token.human_ref, place, reason) }
}

const readAgentMarks = rowReader('agents', [
  'suspended_at_ms',
  'suspended_rank',
  'revoked_below',
  'asks_until_ms',
])
const readHumanMarks = rowReader('humans', ['refused_at_ms', 'revoked_below'])

/** Reads the marks in a row of `agents`. */
export function agentMarksOf(row: Row | undefined): Marks {
  if (row === undefined) return noMarks()
  const { suspended_at_ms, suspended_rank, revoked_below, asks_until_ms } = readAgentMarks(row)
  return {
    ...noMarks(),
    suspended_at_ms: suspended_at_ms ?? undefined,
    suspended_rank: optionalRank(suspended_rank),
    revoked_below,
    asks_until_ms: asks_until_ms ?? undefined,
  }
}

/** Reads the marks in a row of `humans`. */
export function humanMarksOf(row: Row | undefined): Marks {
  if (row === undefined) return noMarks()
  const { refused_at_ms, revoked_below } = readHumanMarks(row)
  return { ...noMarks(), refused_at_ms: refused_at_ms ?? undefined, revoked_below }
}

/** Returns the members that an entry takes from its token. */
export function madeWith({
  jti,
  root_jti,
  provenance_ref,
  agent_id,
  human_ref,
  assurance_level,
  delegation_depth,
}: Token) {
  return { vat_jti: jti, root_jti, provenance_ref, agent_id, human_ref, assurance_level, delegation_depth }
}

/** Reads a token's purpose and the reasons of its revocation and its suspension. Undefined if it has none. */
export function wordsOf(
  row: Row,
  jti: string,
  open: (column: 'purpose' | ReasonColumn, place: Place) => Opened,
): TokenWords | undefined {
  if (row.purpose === null && row.revoke_reason === null && row.suspend_reason === null) return undefined
  const purpose = open('purpose', { kind: 'token.purpose', row: jti })
  const reason = open('revoke_reason', { kind: 'token.reason', row: jti })
  const suspension = open('suspend_reason', { kind: 'token.suspend_reason', row: jti })
  return {
    purpose: purpose.text,
    revoke_reason: reason.text,
    suspend_reason: suspension.text,
    erased: purpose.erased || reason.erased || suspension.erased,
  }
}
