import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import { handOverRefusal } from '../connections/handed-over.ts'
import { FrontSocket } from './front-socket.ts'

/** Has the HTTP server read requests from a connection. */
export type RequestReader = (connection: Duplex) => void

/** Keeps the HTTP server from reading the connections that it accepts: fronts do, and have it read where they do not. */
export function takeConnections(server: Server): RequestReader {
  const readers = server.listeners('connection')
  server.removeAllListeners('connection')
  server.prependListener('request', followRequest)
  return (connection) => {
    for (const read of readers) read.call(server, connection)
  }
}

/** A front waits for the answer to a request that it has passed on. */
function followRequest(request: IncomingMessage, response: ServerResponse): void {
  const socket: unknown = request.socket
  if (!(socket instanceof FrontSocket)) return
  const refusal = socket.takeRefusal()
  if (refusal !== undefined) handOverRefusal(request, refusal)
  response.once('close', () => socket.onAnswered(request.complete))
}
