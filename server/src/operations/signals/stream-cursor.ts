import { setImmediate as nextTurn } from 'node:timers/promises'
import { DAY_MS } from '../../domain/times/time.ts'
import type { StreamDocument } from '../../events/signals/stream-document.ts'
import { type EphemeralEntry, putEphemeral, swapEphemeral } from '../../store/ephemeral.ts'
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
/** More calls than these don't change one cursor at the same moment. */
const MOST_ATTEMPTS = 50

export async function readStreamCursor(
  stream_id: string,
  stream: StreamDocument,
  { ephemeral }: OperationContext,
): Promise<StreamCursor> {
  return cursorIn(await ephemeral.get('ssf_cursor', stream_id), stream)
}

/** Changes the cursor. Calls `change` again if another call has changed the cursor in the meantime. */
export async function changeStreamCursor(
  stream_id: string,
  stream: StreamDocument,
  change: (cursor: StreamCursor) => StreamCursor,
  { ephemeral }: OperationContext,
): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    const known = await ephemeral.get('ssf_cursor', stream_id)
    const entry = {
      key: stream_id,
      value: JSON.stringify(change(cursorIn(known, stream))),
      owner: ownerOf(stream_id),
      expires_at_ms: Date.parse(stream.created_at) + KEPT_MS,
    }
    // An entry that can't be read can neither be added nor compared.
    if (attempt === MOST_ATTEMPTS) return putEphemeral(ephemeral, 'ssf_cursor', entry)
    if (await swapEphemeral(ephemeral, 'ssf_cursor', entry, known)) return
    await nextTurn()
  }
}

function cursorIn(entry: EphemeralEntry | undefined, { since }: StreamDocument): StreamCursor {
  if (entry === undefined) return { next: since, acked: [], verifications: [] }
  const cursor: StreamCursor = JSON.parse(entry.value) // only `changeStreamCursor` writes such entries
  return { ...cursor, next: Math.max(cursor.next, since) }
}

export async function forgetStreamCursor(stream_id: string, { ephemeral }: OperationContext): Promise<void> {
  await ephemeral.endOwner(['ssf_cursor'], ownerOf(stream_id))
}

function ownerOf(stream_id: string): string {
  return `ssf ${stream_id}`
}
