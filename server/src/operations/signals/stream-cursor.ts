import { DAY_MS } from '../../domain/times/time.ts'
import type { StreamDocument } from '../../events/signals/stream-document.ts'
import { putEphemeral } from '../../store/ephemeral.ts'
import type { OperationContext } from '../operation-context.ts'

/** How far the receiver of a polled stream has read. If it is lost, SETs are repeated but never skipped. */
export interface StreamCursor {
  /** Every SET below this log index was acknowledged or doesn't belong to this stream. */
  readonly next: number
  /** Acknowledged log indexes from there on. */
  readonly acked: readonly number[]
  /** Waiting verification events, oldest first. */
  readonly verifications: readonly { readonly jti: string; readonly state?: string }[]
  /** When a verification event was last pushed. */
  readonly verified_at_ms?: number
}

const KEPT_MS = 3_650 * DAY_MS

export async function readStreamCursor(
  stream_id: string,
  { since }: StreamDocument,
  { ephemeral }: OperationContext,
): Promise<StreamCursor> {
  const entry = await ephemeral.get('ssf_cursor', stream_id)
  if (entry === undefined) return { next: since, acked: [], verifications: [] }
  const cursor: StreamCursor = JSON.parse(entry.value) // only `writeStreamCursor` writes such entries
  return { ...cursor, next: Math.max(cursor.next, since) }
}

export async function writeStreamCursor(
  stream_id: string,
  { created_at }: StreamDocument,
  cursor: StreamCursor,
  { ephemeral }: OperationContext,
): Promise<void> {
  const entry = {
    key: stream_id,
    value: JSON.stringify(cursor),
    owner: ownerOf(stream_id),
    expires_at_ms: Date.parse(created_at) + KEPT_MS,
  }
  await putEphemeral(ephemeral, 'ssf_cursor', entry)
}

export async function forgetStreamCursor(stream_id: string, { ephemeral }: OperationContext): Promise<void> {
  await ephemeral.endOwner(ownerOf(stream_id))
}

function ownerOf(stream_id: string): string {
  return `ssf ${stream_id}`
}
