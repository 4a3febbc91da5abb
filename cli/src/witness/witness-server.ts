import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { ADD_CHECKPOINT_MAX_BYTES } from '@deputize/protocol'
import { textResponse, type Witness, type WitnessResponse } from './witness.ts'

const IDLE_MS = 15_000
/** Anyone may connect, so slow, idle and excess connections are closed. */
const SERVER_LIMITS = {
  headersTimeout: 5_000,
  requestTimeout: 10_000,
  connectionsCheckingInterval: 1_000,
  keepAliveTimeout: IDLE_MS,
}
const MAX_CONNECTIONS = 1_024

/** The protocol uses `/<hash>/checkpoint`; the reverse order is accepted too. */
const CHECKPOINT = /^\/(?:([0-9a-f]{64})\/checkpoint|checkpoint\/([0-9a-f]{64}))$/

/** The HTTP server of a witness. Unexpected errors go to `onBug`. */
export function witnessServer(witness: Witness, onBug: (error: unknown) => void): Server {
  const server = createServer(SERVER_LIMITS, (request, response) => {
    respond(witness, request)
      .catch((error) => {
        if (request.destroyed && !request.complete) return undefined // the caller disconnected
        onBug(error)
        return textResponse(500, 'Internal error.')
      })
      .then((given) => given !== undefined && sendResponse(request, response, given))
  })
  server.setTimeout(IDLE_MS)
  server.maxConnections = MAX_CONNECTIONS
  return server
}

async function respond(witness: Witness, request: IncomingMessage): Promise<WitnessResponse> {
  const [path = ''] = (request.url ?? '').split('?', 1)
  if (path === '/add-checkpoint')
    return request.method === 'POST' ? addCheckpoint(witness, request) : methodNotAllowed('POST')
  const [isCheckpoint, ...hashes] = CHECKPOINT.exec(path) ?? []
  if (isCheckpoint === undefined && path !== '/') return textResponse(404, 'Not found.')
  if (request.method !== 'GET' && request.method !== 'HEAD') return methodNotAllowed('GET')
  return isCheckpoint === undefined ? witness.page() : witness.checkpoint(hashes.join(''))
}

async function addCheckpoint(witness: Witness, request: IncomingMessage): Promise<WitnessResponse> {
  const bytes = await readBody(request)
  if (bytes === undefined)
    return textResponse(413, `The request is larger than ${ADD_CHECKPOINT_MAX_BYTES} bytes.`)
  const body = utf8Text(bytes)
  return body === undefined ? textResponse(400, 'The request is not UTF-8.') : witness.addCheckpoint(body)
}

/** The body, or undefined if it is too large. The rest of a large body is not read. */
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

function utf8Text(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return undefined
  }
}

function methodNotAllowed(method: string): WitnessResponse {
  return textResponse(405, `Use ${method} for this path.`)
}

function sendResponse(
  request: IncomingMessage,
  response: ServerResponse,
  { status, type, body }: WitnessResponse,
): void {
  response.writeHead(status, {
    'content-type': type,
    'content-length': Buffer.byteLength(body),
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    // The rest of a rejected body is not read.
    ...(!request.complete && { connection: 'close' }),
    ...(status === 503 && { 'retry-after': '1' }),
  })
  response.end(body)
}
