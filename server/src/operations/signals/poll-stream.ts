import { setTimeout as sleep } from 'node:timers/promises'
import { AuthorityError } from '@deputize/protocol'
import {
  setIdOf,
  signalClaims,
  streamSubscriber,
  verificationClaims,
} from '../../events/signals/security-event-token.ts'
import type { Handler, OperationContext } from '../operation-context.ts'
import { changeStreamCursor, readStreamCursor } from './stream-cursor.ts'
import { loadStream, type StreamEntry, signedSet } from './stream-entry.ts'

const MOST_SETS = 100
const LONGEST_WAIT_MS = 30_000
const POLL_MS = 250
/** How many changes are read for one answer. More follow with the next one. */
const CHANGES_LOOKED_AT = 500
/** How many acknowledged SETs are remembered beyond one that isn't. Any further ones are sent again. */
const MOST_ACKED = 1_000

export const pollStream: Handler<'pollStream'> = async (call, context) => {
  const { params, body, caller, hasLeft } = call
  const found = await loadStream(params.stream_id, caller, context)
  if (found.stream.push !== undefined)
    throw new AuthorityError(
      'stream_unknown',
      'This stream is pushed to its receiver. Only a stream with the poll delivery can be polled.',
    )
  const settled = [...(body.ack ?? []), ...Object.keys(body.setErrs ?? {})]
  if (settled.length > 0) await acknowledge(found, settled, context)
  const most = body.maxEvents ?? MOST_SETS
  if (most === 0 || found.stream.status !== 'enabled') return { sets: {} }
  const end = performance.now() + (body.returnImmediately === true ? 0 : LONGEST_WAIT_MS)
  const isOver = () => performance.now() >= end || hasLeft() || context.node.isShuttingDown()
  let answer = await unacknowledged(found, most, context)
  const leave = hasSets(answer) || isOver() ? undefined : context.waits.take(caller)
  if (leave === undefined) return answer
  try {
    while (!hasSets(answer) && !isOver()) {
      await sleep(POLL_MS)
      const now = await loadStream(params.stream_id, caller, context)
      if (now.stream.status !== 'enabled') break
      answer = await unacknowledged(now, most, context)
    }
    await call.assertStillValid()
    return answer
  } finally {
    leave()
  }
}

interface PollAnswer {
  readonly sets: Record<string, string>
  readonly moreAvailable?: boolean
}

function hasSets({ sets }: PollAnswer): boolean {
  return Object.keys(sets).length > 0
}

async function acknowledge(
  { entry, stream }: StreamEntry,
  settled: readonly string[],
  context: OperationContext,
): Promise<void> {
  const prefix = setIdOf(entry.id, 0).slice(0, -1)
  const indexes = settled
    .filter((jti) => jti.startsWith(prefix))
    .map((jti) => Number(jti.slice(prefix.length)))
    .flatMap((number) =>
      Number.isSafeInteger(number) ? (context.events.feed.numbers.indexOf(number) ?? []) : [],
    )
  await changeStreamCursor(
    entry.id,
    stream,
    (cursor) => ({
      ...cursor,
      acked: [...new Set([...cursor.acked, ...indexes])]
        .filter((index) => index >= cursor.next)
        .sort((a, b) => a - b)
        .slice(0, MOST_ACKED),
      verifications: cursor.verifications.filter(({ jti }) => !settled.includes(jti)),
    }),
    context,
  )
}

/** Returns waiting SETs, oldest first, and moves the cursor past everything that needn't be read again. */
async function unacknowledged(
  { entry, stream }: StreamEntry,
  most: number,
  context: OperationContext,
): Promise<PollAnswer> {
  const cursor = await readStreamCursor(entry.id, stream, context)
  const sets: Record<string, string> = {}
  for (const verification of cursor.verifications.slice(0, most))
    sets[verification.jti] = await signedSet(verificationClaims(entry.id, stream, verification), context)
  const { log_size, leaves } = await context.reader.standingChanges(cursor.next, CHANGES_LOOKED_AT)
  let next = cursor.next
  let isBlocked = false
  let moreAvailable = leaves.length === CHANGES_LOOKED_AT || cursor.verifications.length > most
  for (const { log_index } of leaves) {
    const set = cursor.acked.includes(log_index)
      ? undefined
      : await setAt(log_index, { entry, stream }, context)
    if (set === undefined && !isBlocked) next = log_index + 1
    if (set === undefined) continue
    isBlocked = true
    if (Object.keys(sets).length >= most) {
      moreAvailable = true
      break
    }
    sets[setIdOf(entry.id, context.events.feed.numbers.of(log_index))] = set
  }
  if (!isBlocked && leaves.length < CHANGES_LOOKED_AT) next = log_size
  if (next !== cursor.next) await moveOn(entry.id, stream, next, context)
  return { sets, ...(moreAvailable && { moreAvailable }) }
}

async function moveOn(
  stream_id: string,
  stream: StreamEntry['stream'],
  reached: number,
  context: OperationContext,
): Promise<void> {
  await changeStreamCursor(
    stream_id,
    stream,
    (cursor) => {
      const next = Math.max(cursor.next, reached) // another poll may have got further
      return { ...cursor, next, acked: cursor.acked.filter((index) => index >= next) }
    },
    context,
  )
}

/** Returns the SET of a log entry, or undefined if the stream doesn't carry it. */
async function setAt(
  log_index: number,
  { entry, stream }: StreamEntry,
  context: OperationContext,
): Promise<string | undefined> {
  const { changes } = await context.events.feed.read(log_index, 1)
  const [change] = changes
  if (change === undefined || !(await change.isSeenBy(streamSubscriber(entry.tenant_id, context.access))))
    return undefined
  const claims = signalClaims(entry.id, stream, await change.event(), context.issuer)
  return claims === undefined ? undefined : signedSet(claims, context)
}
