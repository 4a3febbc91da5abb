import { AuthorityError } from '@deputize/protocol'
import { isFullStore } from '../../sqlite-code.ts'
import { refusalCause } from '../refusal-cause.ts'

/**
 * The store failed. The outcome says what happened to the changes:
 * - `nothing_written`: none is durable.
 * - `rows_refused`: none is durable, because the store can't hold a row of the batch. Another attempt would fail, too.
 * - `unknown`: they may or may not become durable. The commit failed, or a crash may replay a frame of the journal.
 * - `committed`: all are durable, but copies of destroyed data could not be cleared yet.
 */
export class StoreError extends Error {
  override readonly name = 'StoreError'
  readonly outcome: 'nothing_written' | 'rows_refused' | 'unknown' | 'committed'
  /** Whether the disk of the store is full. */
  readonly is_full: boolean
  /** A message for callers and operators, if the store knows why it refuses or what to do. */
  readonly detail: string | undefined

  constructor(
    message: string,
    outcome: StoreError['outcome'],
    cause: unknown,
    is_full: boolean = saysFull(cause),
    detail: string | undefined = whyRefused(cause),
  ) {
    super(message, { cause })
    this.outcome = outcome
    this.is_full = is_full
    this.detail = detail
  }
}

const POSTGRES_DISK_FULL = '53100'

function whyRefused(cause: unknown): string | undefined {
  if (cause instanceof StoreError) return cause.detail
  const sentence = refusalCause(cause)
  return sentence && `${sentence} ${new AuthorityError('storage_unavailable').message}`
}

/** Whether an error of a store means that its disk is full. */
export function saysFull(cause: unknown): boolean {
  if (!(cause instanceof Error)) return false
  if (cause instanceof StoreError) return cause.is_full
  return isFullStore(cause) || ('code' in cause && cause.code === POSTGRES_DISK_FULL)
}
