import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { BlockList, isIP } from 'node:net'
import { neighbourhoodOf } from '../guard/rate-limit.ts'

/** How long a new connection may take to send a whole header before it is the first to be closed for others. */
const FIRST_HEADER_MS = 2_000

export interface ConnectionLimits {
  /** Maximum number of connections from one address. */
  readonly per_address: number
  readonly total: number
  /** Proxies hold the connections of many clients, so the limit per address doesn't apply to them. */
  readonly trusted_proxies: readonly string[]
}

/** A connection of a client. */
export interface OpenConnection {
  readonly remoteAddress?: string | undefined
  /** True if it is closed, or will be closed without another answer. */
  readonly destroyed: boolean
  /** Closes it at once, or after the answer to a request that another thread may have read already. */
  destroy(): unknown
  once(event: 'close', listener: () => void): unknown
}

/** Some requests are read from a stream that represents a connection. */
type RequestSource = OpenConnection & { readonly connection?: OpenConnection }

/** Tracks connections and which of them have requests under way. */
export interface ConnectionWatch {
  open(connection: OpenConnection): void
  /** Counts a request until the returned function is called. */
  begin(connection: OpenConnection): () => void
}

/**
 * Limits connections so that no address locks out the others. A connection beyond a limit replaces the oldest one
 * without a request in progress: first one that hasn't sent a whole header in time, then an idle one, then a new one. A
 * client that opens many connections at once therefore loses idle ones, not those it is about to use. Within the limit
 * of an address, only connections of that address make room.
 */
export function limitConnections(server: Server, limits: ConnectionLimits): ConnectionWatch {
  const isTrusted = trustedBy(limits.trusted_proxies)
  const neighbours = new Map<string, Set<OpenConnection>>()
  const open = new Set<OpenConnection>()
  /** Number of requests in progress on each connection. Absent until the connection has sent a whole header. */
  const requests = new WeakMap<OpenConnection, number>()
  const opened_ms = new WeakMap<OpenConnection, number>()
  const told = new WeakSet<OpenConnection>()

  /** Whether the connection is closing. One that was told to close but has another request under way closes later. */
  function isLeaving(socket: OpenConnection): boolean {
    return socket.destroyed || (told.has(socket) && requests.get(socket) === 0)
  }

  /** Returns the connection to close, which is the newcomer itself if all others are busy. */
  function victim(newcomer: OpenConnection, among: Set<OpenConnection>): OpenConnection {
    const late_ms = performance.now() - FIRST_HEADER_MS
    let idle: OpenConnection | undefined
    let fresh: OpenConnection | undefined
    for (const socket of among) {
      if (socket === newcomer || isLeaving(socket)) continue
      const count = requests.get(socket)
      if (count === 0) idle ??= socket
      if (count !== undefined) continue
      if ((opened_ms.get(socket) ?? 0) <= late_ms) return socket
      fresh ??= socket
    }
    return idle ?? fresh ?? newcomer
  }

  function makeRoom(newcomer: OpenConnection, among: Set<OpenConnection>, limit: number): void {
    let excess = -limit
    for (const socket of among) if (!isLeaving(socket)) excess += 1
    for (; excess > 0 && !newcomer.destroyed; excess -= 1) {
      const socket = victim(newcomer, among)
      told.add(socket)
      socket.destroy()
    }
  }

  function count(socket: OpenConnection): void {
    opened_ms.set(socket, performance.now())
    const address = socket.remoteAddress ?? ''
    const key = neighbourhoodOf(address)
    const neighbour = neighbours.get(key) ?? new Set()
    neighbours.set(key, neighbour)
    for (const set of [open, neighbour]) set.add(socket)
    socket.once('close', () => {
      for (const set of [open, neighbour]) set.delete(socket)
      if (neighbour.size === 0) neighbours.delete(key)
    })
    if (neighbour.size > limits.per_address && !isTrusted(address))
      makeRoom(socket, neighbour, limits.per_address)
    if (open.size > limits.total) makeRoom(socket, open, limits.total)
  }

  function begin(socket: OpenConnection): () => void {
    requests.set(socket, (requests.get(socket) ?? 0) + 1)
    return () => requests.set(socket, (requests.get(socket) ?? 1) - 1)
  }

  server.on('request', ({ socket }: IncomingMessage, response: ServerResponse) => {
    const source: RequestSource = socket
    // 'close' is emitted once, and this is done for every request: `once` would cost a wrapper.
    response.on('close', begin(source.connection ?? source))
  })
  return { open: count, begin }
}

function trustedBy(proxies: readonly string[]): (address: string) => boolean {
  const list = new BlockList()
  for (const proxy of proxies) {
    const [address = '', bits] = proxy.split('/')
    const family = isIP(address) === 6 ? 'ipv6' : 'ipv4'
    if (bits === undefined) list.addAddress(address, family)
    else list.addSubnet(address, Number(bits), family)
  }
  return (address) => {
    const plain = address.replace(/^::ffff:/, '')
    return isIP(plain) !== 0 && list.check(plain, isIP(plain) === 6 ? 'ipv6' : 'ipv4')
  }
}
