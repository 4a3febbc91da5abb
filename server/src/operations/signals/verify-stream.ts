import { AuthorityError, MIN_VERIFICATION_INTERVAL_S, newSuffix } from '@deputize/protocol'
import { verificationClaims } from '../../events/signals/security-event-token.ts'
import type { Handler } from '../operation-context.ts'
import { changeStreamCursor, type StreamCursor } from './stream-cursor.ts'
import { loadStream, signedSet } from './stream-entry.ts'

/** The most verification events that wait for one stream. Beyond that, the oldest are dropped. */
const MOST_VERIFICATIONS = 10

export const verifyStream: Handler<'verifyStream'> = async ({ body, caller }, context) => {
  const { stream_id, state } = body
  const { stream } = await loadStream(stream_id, caller, context)
  const asked = { jti: `${stream_id}.v${newSuffix(context.clock())}`, ...(state !== undefined && { state }) }
  if (stream.push !== undefined) {
    const now_ms = context.clock()
    const verified = (cursor: StreamCursor) => {
      assertMayVerify(cursor, now_ms)
      return { ...cursor, verified_at_ms: now_ms }
    }
    await changeStreamCursor(stream_id, stream, verified, context)
    const set = await signedSet(verificationClaims(stream_id, stream, asked), context)
    await context.events.deliveries.pushOnce(stream.push, set)
    return {}
  }
  const waiting = (cursor: StreamCursor) => ({
    ...cursor,
    verifications: [...cursor.verifications, asked].slice(-MOST_VERIFICATIONS),
  })
  await changeStreamCursor(stream_id, stream, waiting, context)
  return {}
}

function assertMayVerify({ verified_at_ms }: StreamCursor, now_ms: number): void {
  if (verified_at_ms === undefined) return
  const wait_ms = verified_at_ms + MIN_VERIFICATION_INTERVAL_S * 1000 - now_ms
  if (wait_ms <= 0) return
  throw new AuthorityError(
    'rate_limited',
    `A verification event can be pushed every ${MIN_VERIFICATION_INTERVAL_S} seconds.`,
    { retry_after_s: Math.ceil(wait_ms / 1000) },
  )
}
