import type { IncomingMessage, Server, ServerResponse } from 'node:http'

/** When more requests of a connection wait, no more of them are read. */
const MOST_WAITING = 64

/**
 * Makes the server handle the requests of a connection one after another, like a front. Node emits every request that
 * has arrived: those behind a slow one would be carried out, and count as load, long before they can be answered.
 */
export function handleInTurn(server: Server): void {
  const listeners = server.listeners('request')
  const waiting = new WeakMap<IncomingMessage['socket'], number>()
  const isFull = (socket: IncomingMessage['socket']) => (waiting.get(socket) ?? 0) > MOST_WAITING
  server.removeAllListeners('request')
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    const { socket } = request
    const handle = () => {
      for (const listener of listeners) listener.call(server, request, response)
    }
    if (response.socket !== null) return handle()
    waiting.set(socket, (waiting.get(socket) ?? 0) + 1)
    // Later, because Node resumes the connection once it has read the end of this request.
    if (isFull(socket)) process.nextTick(() => isFull(socket) && socket.pause())
    // Never emitted if the connection closes first.
    response.once('socket', () => {
      waiting.set(socket, (waiting.get(socket) ?? 1) - 1)
      if (!isFull(socket)) socket.resume()
      handle()
    })
  })
}
