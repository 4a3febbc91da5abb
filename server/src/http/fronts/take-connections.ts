import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import { handOverRefusal } from '../connections/handed-over.ts'
import { FrontSocket } from './front-socket.ts'

/** Makes the HTTP server read requests from a connection. */
export type RequestReader = (connection: Duplex) => void

/** Stops the HTTP server from reading the connections it accepts. Fronts read them, and hand back what isn't theirs. */
export function takeConnections(server: Server): RequestReader {
  const readers = server.listeners('connection')
  server.removeAllListeners('connection')
  server.prependListener('request', followRequest)
  return (connection) => {
    for (const read of readers) read.call(server, connection)
  }
}

/** Hands over the refusal of a request that a front passed on, and notifies the front when the request is answered. */
function followRequest(request: IncomingMessage, response: ServerResponse): void {
  const socket: unknown = request.socket
  if (!(socket instanceof FrontSocket)) return
  const refusal = socket.takeRefusal()
  if (refusal !== undefined) handOverRefusal(request, refusal)
  response.once('close', () => socket.onAnswered(request.complete))
}
