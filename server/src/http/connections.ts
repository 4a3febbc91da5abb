import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { BlockList, isIP, type Socket } from 'node:net'
import { neighbourhoodOf } from './rate-limit.ts'

export interface ConnectionLimits {
  /** Connections of one address. */
  readonly per_address: number
  readonly total: number
  /** Proxies hold the connections of many clients, so they have no limit of their own. */
  readonly trusted_proxies: readonly string[]
}

/**
 * Limits connections so that no address locks out the others. A connection beyond a limit takes the place of the oldest connection that
 * has no request in progress: first one that has never sent a whole header, then an idle one. Within the limit of an
 * address, only connections of that address make room.
 */
export function limitConnections(server: Server, limits: ConnectionLimits): void {
  const isTrusted = trustedBy(limits.trusted_proxies)
  const neighbours = new Map<string, Set<Socket>>()
  const open = new Set<Socket>()
  /** How many requests each connection has begun and not ended. Absent: it has never sent a whole header. */
  const requests = new WeakMap<Socket, number>()

  server.on('connection', (socket: Socket) => {
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
      victimOf(socket, neighbour, requests).destroy()
    if (open.size > limits.total) victimOf(socket, open, requests).destroy()
  })
  server.on('request', ({ socket }: IncomingMessage, response: ServerResponse) => {
    requests.set(socket, (requests.get(socket) ?? 0) + 1)
    response.once('close', () => requests.set(socket, (requests.get(socket) ?? 1) - 1))
  })
}

/** The connection that makes room: the newcomer itself, if all others are busy. */
function victimOf(newcomer: Socket, among: Set<Socket>, requests: WeakMap<Socket, number>): Socket {
  let idle: Socket | undefined
  for (const socket of among) {
    if (socket === newcomer || socket.destroyed) continue
    const count = requests.get(socket)
    if (count === undefined) return socket
    if (count === 0) idle ??= socket
  }
  return idle ?? newcomer
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
