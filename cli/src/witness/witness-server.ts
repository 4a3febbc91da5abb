import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { ADD_CHECKPOINT_MAX_BYTES } from '@deputize/protocol'
import { type Answer, text, type Witness } from './witness.ts'

/** Strangers may connect: whoever is slow, idle or one too many is sent away. */
const LIMITS = {
  headersTimeout: 5_000,
  requestTimeout: 10_000,
  connectionsCheckingInterval: 1_000,
  keepAliveTimeout: 5_000,
}
const IDLE_MS = 15_000
const MAX_CONNECTIONS = 1_024

/** `/<hash>/checkpoint` is the path of the protocol; the other way round is easier to guess. */
const CHECKPOINT = /^\/(?:([0-9a-f]{64})\/checkpoint|checkpoint\/([0-9a-f]{64}))$/

/** The door of a witness. `onBug` hears of what nobody foresaw. */
export function witnessServer(witness: Witness, onBug: (error: unknown) => void): Server {
  const server = createServer(LIMITS, (request, response) => {
    answer(witness, request)
      .catch((error) => {
        if (request.destroyed && !request.complete) return undefined // the caller left in the midst of it
        onBug(error)
        return text(500, 'Something went wrong here.')
      })
      .then((given) => given !== undefined && send(request, response, given))
  })
  server.setTimeout(IDLE_MS)
  server.maxConnections = MAX_CONNECTIONS
  return server
}

async function answer(witness: Witness, request: IncomingMessage): Promise<Answer> {
  const [path = ''] = (request.url ?? '').split('?', 1)
  if (path === '/add-checkpoint')
    return request.method === 'POST' ? addCheckpoint(witness, request) : notAllowed('POST')
  const [isCheckpoint, ...hashes] = CHECKPOINT.exec(path) ?? []
  if (isCheckpoint === undefined && path !== '/') return text(404, 'There is nothing here.')
  if (request.method !== 'GET' && request.method !== 'HEAD') return notAllowed('GET')
  return isCheckpoint === undefined ? witness.page() : witness.checkpoint(hashes.join(''))
}

async function addCheckpoint(witness: Witness, request: IncomingMessage): Promise<Answer> {
  const bytes = await readBody(request)
  if (bytes === undefined) return text(413, `A request has at most ${ADD_CHECKPOINT_MAX_BYTES} bytes.`)
  const body = decoded(bytes)
  return body === undefined ? text(400, 'The request is not UTF-8.') : witness.addCheckpoint(body)
}

/** The body, or undefined when it is too long; then the rest of it is not waited for. */
function readBody(request: IncomingMessage): Promise<Buffer | undefined> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let length = Number(request.headers['content-length'] ?? 0)
    if (length > ADD_CHECKPOINT_MAX_BYTES) return resolve(undefined)
    length = 0
    request.on('data', (chunk: Buffer) => {
      length += chunk.length
      if (length <= ADD_CHECKPOINT_MAX_BYTES) chunks.push(chunk)
      else resolve(undefined)
    })
    request.on('end', () => resolve(Buffer.concat(chunks)))
    request.on('error', reject)
  })
}

function decoded(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return undefined
  }
}

function notAllowed(method: string): Answer {
  return text(405, `Only ${method} is answered here.`)
}

function send(request: IncomingMessage, response: ServerResponse, { status, type, body }: Answer): void {
  response.writeHead(status, {
    'content-type': type,
    'content-length': Buffer.byteLength(body),
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    // Nobody waits for the rest of a body that was not wanted.
    ...(!request.complete && { connection: 'close' }),
    ...(status === 503 && { 'retry-after': '1' }),
  })
  response.end(body)
}
