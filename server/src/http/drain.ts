import { once } from 'node:events'
import { Server } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'

/** How long clients may still send requests on connections that they consider open. */
const LEAVE_MS = 300

/** Requests that have not arrived by then are cut off. */
const ARRIVE_MS = 5_000

/**
 * Stops the server without cutting off a request. New connections are refused first, open ones are told to close with
 * their next answer, and idle ones are closed last: closing them at once would lose requests that are under way.
 */
export async function drain(app: FastifyInstance): Promise<void> {
  const { server } = app
  const closed = once(server, 'close')
  Server.prototype.close.call(server) // http.Server's own close() also closes idle connections
  await Promise.race([closed, sleep(LEAVE_MS)])
  const cut = setTimeout(() => server.closeAllConnections(), ARRIVE_MS)
  await app.close()
  clearTimeout(cut)
}
