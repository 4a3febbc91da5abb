import { Readable } from 'node:stream'
import { setImmediate } from 'node:timers/promises'
import type { Download } from '@deputize/protocol'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { namesOf } from './trace-id.ts'

const CHUNK_LENGTH = 64 * 1024
const STALLED_MS = 60_000

/**
 * Sends an answer while it is made. The reader sets the pace; one that goes away, or does not take a chunk in a minute,
 * ends the making. A failure before the first byte is answered as a problem; later it cuts the connection, so that
 * nobody takes a part for the whole.
 */
export async function sendDownload(
  { media_type, file_name, chunks }: Download,
  request: FastifyRequest,
  reply: FastifyReply,
  stalled_ms: number = STALLED_MS,
): Promise<FastifyReply> {
  const pieces = joined(chunks)
  const isHead = request.method === 'HEAD'
  const first = isHead ? undefined : await pieces.next()
  reply.type(media_type).headers({
    'content-disposition': `attachment; filename="${file_name.replaceAll(/[^A-Za-z0-9._-]/g, '_')}"`,
    'cache-control': 'no-store',
  })
  if (first === undefined) return reply.send()
  const body = Readable.from(taken(first, pieces, stalled_ms, () => reply.raw.destroy()))
  body.once('error', (err) => request.log.error({ err, ...namesOf(request) }, 'a download broke off'))
  body.once('close', () => pieces.return().catch(() => {})) // nobody is left to be told what ending it met
  return reply.send(body)
}

/** Joins small pieces, so that a record does not cost a write. After each chunk other requests have their turn. */
async function* joined(pieces: AsyncIterable<string>): AsyncGenerator<string, void> {
  let chunk = ''
  for await (const piece of pieces) {
    chunk += piece
    if (chunk.length < CHUNK_LENGTH) continue
    yield chunk
    chunk = ''
    await setImmediate()
  }
  if (chunk !== '') yield chunk
}

/** Goes on where the first step of `rest` has led, and calls `onStall` when a chunk is not taken in time. */
async function* taken(
  first: IteratorResult<string, void>,
  rest: AsyncGenerator<string, void>,
  stalled_ms: number,
  onStall: () => void,
): AsyncGenerator<string, void> {
  for (let step = first; step.done !== true; step = await rest.next()) {
    const timer = setTimeout(onStall, stalled_ms)
    try {
      yield step.value
    } finally {
      clearTimeout(timer)
    }
  }
}
