import { once } from 'node:events'
import { Server } from 'node:net'
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import type { OwnFront } from '../fronts/own-front.ts'
import { CUT_MS, LEAVE_MS, READ_TURNS } from './connection-times.ts'

/**
 * Stops the server without cutting off a request. New connections are refused first, open ones are told to close with
 * their next answer, and idle ones are closed last: closing them at once would lose requests that are under way.
 */
export async function drain(app: FastifyInstance, front: OwnFront): Promise<void> {
  const { server } = app
  const closed = once(server, 'close')
  Server.prototype.close.call(server) // http.Server's own close() also closes idle connections
  await Promise.race([closed, sleep(LEAVE_MS)])
  for (let turn = 0; turn < READ_TURNS; turn += 1) await nextTurn()
  front.leave()
  const cut = setTimeout(() => {
    server.closeAllConnections()
    front.cut()
  }, CUT_MS)
  await app.close()
  clearTimeout(cut)
}
