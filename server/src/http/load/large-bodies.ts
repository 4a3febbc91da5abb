import { AuthorityError } from '@deputize/protocol'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { neighbourhoodOf } from '../guard/rate-limit.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The body limit of an operation that accepts larger bodies than the others. */
    large_body_bytes?: number
  }
}

const MEGABYTE = 1_048_576
/** Bytes of large bodies that are received and processed at once. Recordings usually have one or two megabytes. */
const TOTAL_BYTES = 135 * MEGABYTE
/** The share of one neighbourhood of addresses, so that it can't crowd out the others. */
const NEIGHBOUR_BYTES = 45 * MEGABYTE
const RETRY_AFTER_S = 1

/** Allocates room for bodies. */
class BodyRoom {
  #taken = 0
  readonly #byNeighbour = new Map<string, number>()

  /** Returns false if there is no room. */
  take(neighbour: string, bytes: number): boolean {
    const own = (this.#byNeighbour.get(neighbour) ?? 0) + bytes
    if (own > NEIGHBOUR_BYTES || this.#taken + bytes > TOTAL_BYTES) return false
    this.#taken += bytes
    this.#byNeighbour.set(neighbour, own)
    return true
  }

  giveBack(neighbour: string, bytes: number): void {
    this.#taken -= bytes
    const own = (this.#byNeighbour.get(neighbour) ?? 0) - bytes
    if (own > 0) this.#byNeighbour.set(neighbour, own)
    else this.#byNeighbour.delete(neighbour)
  }
}

/**
 * Limits the memory for large bodies. Recordings may be sent without a credential, and a body is held in memory before
 * its session is looked up. When the room is used up, calls are refused before any of their body is read.
 */
export function limitLargeBodies(app: FastifyInstance, usual_bytes: number): void {
  const room = new BodyRoom()
  app.addHook('onRequest', (request, reply, done) => {
    const { large_body_bytes } = request.routeOptions.config
    if (large_body_bytes === undefined) return done()
    const bytes = expectedBytes(request, large_body_bytes)
    // A body that is too large is refused for that reason, also before it is read.
    if (bytes <= usual_bytes || bytes > large_body_bytes) return done()
    const neighbour = neighbourhoodOf(request.ip)
    if (!room.take(neighbour, bytes))
      return done(
        new AuthorityError('engine_busy', 'Too many recordings are being sent at once.', {
          retry_after_s: RETRY_AFTER_S,
        }),
      )
    reply.raw.once('close', () => room.giveBack(neighbour, bytes))
    done()
  })
}

/** Returns the length of a body. One of unknown length may be as large as the operation allows. */
function expectedBytes({ headers }: FastifyRequest, most_bytes: number): number {
  const length = Number(headers['content-length'] ?? Number.NaN)
  return Number.isFinite(length) ? length : most_bytes
}
