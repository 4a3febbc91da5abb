import { Readable } from 'node:stream'
import { setImmediate } from 'node:timers/promises'
import type { DownloadAnswer } from '@deputize/protocol'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { namesOf } from './trace-id.ts'

const CHUNK_LENGTH = 64 * 1024
const STALLED_MS = 60_000

/**
 * Streams an answer at the reader's pace. A reader that disconnects, or stalls for a minute, ends the stream. A failure
 * before the first byte is answered with a problem. A later failure cuts the connection, so that a partial download is
 * never mistaken for a complete one.
 */
export async function sendDownload(
  { media_type, file_name, chunks }: DownloadAnswer,
  request: FastifyRequest,
  reply: FastifyReply,
  stalled_ms: number = STALLED_MS,
): Promise<FastifyReply> {
  const pieces = inChunks(chunks)
  const isHead = request.method === 'HEAD'
  const first = isHead ? undefined : await pieces.next()
  reply.type(media_type).headers({
    'content-disposition': `attachment; filename="${file_name.replaceAll(/[^A-Za-z0-9._-]/g, '_')}"`,
    'cache-control': 'no-store',
  })
  if (first === undefined) return reply.send()
  const body = Readable.from(taken(first, pieces, stalled_ms, () => reply.raw.destroy()))
  body.once('error', (err) => request.log.error({ err, ...namesOf(request) }, 'download aborted'))
  body.once('close', () => pieces.return().catch(() => {})) // the response is over, so an error here has no receiver
  return reply.send(body)
}

type Chunk = string | Uint8Array

/** Joins small texts into chunks, to save writes. Yields to other requests after each chunk. */
async function* inChunks(pieces: AsyncIterable<Chunk>): AsyncGenerator<Chunk, void> {
  let chunk = ''
  for await (const piece of pieces) {
    if (typeof piece !== 'string') {
      yield piece
      await setImmediate()
      continue
    }
    chunk += piece
    if (chunk.length < CHUNK_LENGTH) continue
    yield chunk
    chunk = ''
    await setImmediate()
  }
  if (chunk !== '') yield chunk
}

/** Yields `first`, then the steps of `rest`. Calls `onStall` if the reader doesn't take a chunk in time. */
async function* taken(
  first: IteratorResult<Chunk, void>,
  rest: AsyncGenerator<Chunk, void>,
  stalled_ms: number,
  onStall: () => void,
): AsyncGenerator<Chunk, void> {
  for (let step = first; step.done !== true; step = await rest.next()) {
    const timer = setTimeout(onStall, stalled_ms)
    try {
      yield step.value
    } finally {
      clearTimeout(timer)
    }
  }
}
