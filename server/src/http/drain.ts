import { once } from 'node:events'
import { Server } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'

/** How long clients may still send on a connection that they believe to be open. */
const LEAVE_MS = 300

/** What has not arrived by then is not waited for. */
const ARRIVE_MS = 5_000

/**
 * Ends the service without cutting a request: nobody new is let in, whoever is in is told to leave with the next answer,
 * and idle connections are closed only after that. Closed at once, they would take requests with them that are on
 * their way.
 */
export async function drain(app: FastifyInstance): Promise<void> {
  const { server } = app
  const closed = once(server, 'close')
  Server.prototype.close.call(server) // that of http.Server closes idle connections too
  await Promise.race([closed, sleep(LEAVE_MS)])
  const cut = setTimeout(() => server.closeAllConnections(), ARRIVE_MS)
  await app.close()
  clearTimeout(cut)
}
