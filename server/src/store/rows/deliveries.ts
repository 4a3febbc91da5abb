import {
  DELIVERY_STATES,
  type Delivery,
  type DeliveryFilter,
  type DeliveryState,
  DISABLED_REASONS,
  type DisabledReason,
  type EndpointState,
  type Lease,
  type WaitingDelivery,
} from '../deliveries.ts'
import type { Page, PageRequest } from '../port/pages.ts'
import { rowReader } from '../row-reader.ts'
import type { RowOf } from '../tables.ts'
import { bytes, integer, member, type Row, text } from '../values.ts'
import { type DataKey, type Place, SealError } from '../vault.ts'

export const deliveryStateKey = (state: DeliveryState): number => DELIVERY_STATES.indexOf(state)
export const disabledReasonKey = (reason: DisabledReason): number => DISABLED_REASONS.indexOf(reason)

const readDelivery = rowReader('deliveries', [
  'log_index',
  'lane',
  'state',
  'attempts',
  'first_at_ms',
  'last_at_ms',
  'next_at_ms',
  'status',
  'error',
  'took_ms',
])
const readWaiting = rowReader('deliveries', [
  'log_index',
  'lane',
  'attempts',
  'first_at_ms',
  'last_at_ms',
  'next_at_ms',
])
const readState = rowReader('delivery_endpoints', [
  'next_index',
  'failing_since_ms',
  'disabled_at_ms',
  'disabled_reason',
])

/** Reads a row of `deliveries`. Leaves out an answer that this deployment did not store there. */
export function deliveryOf(row: Row, key: DataKey): Delivery {
  const { log_index, lane, state, attempts, first_at_ms, last_at_ms, next_at_ms, status, error, took_ms } =
    readDelivery(row)
  return {
    log_index,
    lane,
    state: member(DELIVERY_STATES, state),
    attempts,
    first_at_ms,
    last_at_ms,
    next_at_ms,
    status: status ?? undefined,
    error: error ?? undefined,
    answer: row.answer === null ? undefined : openedAnswer(row, key),
    took_ms: took_ms ?? undefined,
  }
}

function openedAnswer(row: Row, key: DataKey): string | undefined {
  try {
    return key.open(answerPlace(text(row.endpoint_id), integer(row.log_index)), bytes(row.answer))
  } catch (error) {
    if (error instanceof SealError) return undefined
    throw error
  }
}

export function deliveryRow(
  endpoint_id: string,
  { state, status, error, answer, took_ms, ...delivery }: Delivery,
  key: DataKey,
): RowOf<'deliveries'> {
  return {
    endpoint_id,
    ...delivery,
    state: deliveryStateKey(state),
    status: status ?? null,
    error: error ?? null,
    answer: answer === undefined ? null : key.seal(answerPlace(endpoint_id, delivery.log_index), answer),
    took_ms: took_ms ?? null,
  }
}

function answerPlace(endpoint_id: string, log_index: number): Place {
  return { kind: 'delivery.answer', row: JSON.stringify([endpoint_id, log_index]) }
}

export function waitingDeliveryOf(row: Row): WaitingDelivery {
  const { log_index, lane, attempts, first_at_ms, last_at_ms, next_at_ms } = readWaiting(row)
  return { log_index, lane, attempts, first_at_ms, last_at_ms, next_at_ms }
}

export function endpointStateOf(row: Row): EndpointState {
  const { next_index, failing_since_ms, disabled_at_ms, disabled_reason } = readState(row)
  return {
    next_index,
    failing_since_ms: failing_since_ms ?? undefined,
    disabled:
      disabled_at_ms === null
        ? undefined
        : { at_ms: disabled_at_ms, reason: member(DISABLED_REASONS, disabled_reason ?? 0) },
  }
}

export function leaseOf(row: Row): Lease {
  return { endpoint_id: text(row.endpoint_id), revision: integer(row.revision) }
}

/** Selects a page of deliveries, and one more to see whether another page follows. */
export function deliverySearch(
  endpoint_id: string,
  { state }: DeliveryFilter,
  { limit, before }: PageRequest,
) {
  return {
    sql: `SELECT * FROM deliveries WHERE endpoint_id = ? AND log_index < ?
      ${state === undefined ? '' : 'AND state = ?'} ORDER BY log_index DESC LIMIT ?`,
    values: [
      endpoint_id,
      before ?? Number.MAX_SAFE_INTEGER,
      ...(state === undefined ? [] : [deliveryStateKey(state)]),
      limit + 1,
    ],
  }
}

export function deliveryPage(rows: readonly Row[], limit: number, key: DataKey): Page<Delivery> {
  const entries = rows.slice(0, limit).map((row) => deliveryOf(row, key))
  return { entries, before: rows.length > limit ? entries.at(-1)?.log_index : undefined }
}
