import { sha256Hex } from '../sha256.ts'
import { announcesBody, BodyNotBound, BodyTooLarge, NO_BODY_SHA256 } from './request-body.ts'

/** The part of a Node request that its body is read from. */
export interface IncomingBody {
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly httpVersionMajor?: number
  /** Whether the whole message has arrived. */
  readonly complete?: boolean
  readonly readableDidRead?: boolean
  readonly readableFlowing?: boolean | null
  readonly readableEncoding?: string | null
  read?(): unknown
  unshift?(chunk: Uint8Array): void
  resume?(): unknown
  on?(event: 'readable' | 'error' | 'close', listener: () => void): unknown
  off?(event: 'readable' | 'error' | 'close', listener: () => void): unknown
}

/** A request whose body nothing has read yet. */
type UnreadBody = IncomingBody & Required<Pick<IncomingBody, 'read' | 'unshift' | 'on' | 'off'>>

const PARSED_BEFORE =
  'It was read before the guard ran. Put the guard before the body parser, or pass verify: keepBody to the parser.'

/** The bodies that `keepBody` has seen. */
const kept = new WeakMap<object, Uint8Array>()

/**
 * Keeps the body of a request for the guard. For body parsers that run before the guard: `express.json({ verify: keepBody })`.
 */
export function keepBody(request: object, _response: unknown, body: Uint8Array): void {
  kept.set(request, body)
}

/**
 * Returns the SHA-256 of the body. Reads an unread body and puts it back, so that parsers after the guard still get it.
 */
export async function incomingSha256(request: IncomingBody, max_bytes: number): Promise<string> {
  const body = kept.get(request)
  if (body !== undefined) return sha256Hex(body) // the parser has its own limit
  if (request.httpVersionMajor === 1 && !announcesBody(request.headers)) return NO_BODY_SHA256
  if (!isUnread(request)) throw new BodyNotBound(PARSED_BEFORE)
  return sha256Hex(await readAndPutBack(request, max_bytes))
}

function isUnread(request: IncomingBody): request is UnreadBody {
  const { readableDidRead, readableFlowing, readableEncoding } = request
  const isStream = [request.read, request.unshift, request.on, request.off].every(
    (method) => typeof method === 'function',
  )
  return isStream && readableDidRead === false && readableFlowing !== true && readableEncoding === null
}

function readAndPutBack(request: UnreadBody, max_bytes: number): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    const chunks: Uint8Array[] = []
    let size = 0

    function stop(): void {
      request.off('readable', take)
      request.off('error', fail)
      request.off('close', fail)
    }

    function fail(): void {
      stop()
      reject(new Error('The client disconnected before it had sent the whole body.'))
    }

    function take(): void {
      for (let chunk = request.read(); chunk instanceof Uint8Array; chunk = request.read()) {
        chunks.push(chunk)
        size += chunk.length
        if (size > max_bytes) {
          stop()
          request.resume?.() // unread data would block the connection
          reject(new BodyTooLarge(max_bytes))
          return
        }
      }
      if (request.complete !== true) return
      stop()
      const body = joined(chunks, size)
      // In the same turn: the stream ends in the next one, unless it holds data again.
      if (size > 0) request.unshift(body)
      resolve(body)
    }

    request.on('error', fail)
    request.on('close', fail)
    request.on('readable', take)
  })
}

function joined(chunks: readonly Uint8Array[], size: number): Uint8Array {
  const [first] = chunks
  if (first !== undefined && chunks.length === 1) return first
  const body = new Uint8Array(size)
  let at = 0
  for (const chunk of chunks) {
    body.set(chunk, at)
    at += chunk.length
  }
  return body
}
