import type { Agent } from 'node:http'
import type { Socket } from 'node:net'
import { HttpAgent } from '../node-http.ts'

/** Idle connections kept per server. A webhook has at most this many messages under way. */
const IDLE_OF_EACH = 8
const IDLE_MS = 15_000
/** Servers whose connections are kept. Beyond this, those of the least recently called server are closed. */
const MOST_SERVERS = 1_024

/**
 * Connections that stay open between calls. A server is an origin together with all addresses that its name resolves to
 * at the time of the call, so a connection is reused only while its address would be dialled again.
 */
export class KeptConnections {
  readonly #agents = new Map<string, Agent>()

  agentOf(origin: string, addresses: readonly string[], connect: () => Promise<Socket>): Agent {
    const key = [origin, ...addresses.toSorted()].join(' ')
    const agent = this.#agents.get(key) ?? newAgent(connect)
    this.#agents.delete(key)
    this.#agents.set(key, agent)
    this.#closeOldest()
    return agent
  }

  #closeOldest(): void {
    const [oldest] = this.#agents
    if (oldest === undefined || this.#agents.size <= MOST_SERVERS) return
    const [key, agent] = oldest
    this.#agents.delete(key)
    agent.destroy()
  }
}

function newAgent(connect: () => Promise<Socket>): Agent {
  const agent = new HttpAgent({ keepAlive: true, maxFreeSockets: IDLE_OF_EACH, timeout: IDLE_MS })
  agent.createConnection = (_, done) => {
    connect().then(
      (socket) => done?.(null, socket),
      (error) => done?.(error, undefined as never), // an error comes without a connection
    )
    return undefined
  }
  return agent
}
