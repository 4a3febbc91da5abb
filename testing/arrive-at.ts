import type { FastifyInstance } from 'fastify'
import inject, { type DispatchFunc, type InjectOptions, type Response } from 'light-my-request'

/** Sends a request like those from the socket: through the listener in front of Fastify. */
export function arriveAt(app: FastifyInstance, options: InjectOptions): Promise<Response> {
  const dispatch: DispatchFunc = (request, response) => void app.server.emit('request', request, response)
  return inject(dispatch, options)
}
