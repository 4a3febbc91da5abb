/**
 * A small balancer for nodes on this machine, for trials: no TLS, loopback only. It forwards requests to ready nodes in
 * turn, and retries a request only if none of it was sent or if it only reads.
 */
import { once } from 'node:events'
import { createServer, get, type IncomingMessage, request, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

const LOOK_EVERY_MS = 500
const LOOK_FOR_MS = 2_000
const LOCAL_NAMES = ['localhost', '127.0.0.1', '[::1]']
/** Headers that concern one connection are not forwarded. */
const OF_THE_CONNECTION = [
  'connection',
  'keep-alive',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'expect',
]

export interface Balancer {
  readonly port: number
  /** Ports of the nodes that are ready. */
  ready(): number[]
  close(): Promise<void>
}

export async function startBalancer(ports: readonly number[], port: number): Promise<Balancer> {
  const states = new Map(ports.map((node) => [node, false]))
  let turn = 0
  let own = port

  async function look(): Promise<void> {
    await Promise.all(ports.map(async (node) => states.set(node, await isReady(node))))
  }

  /** All nodes, ready ones first, starting with a different node each time. */
  function candidates(): number[] {
    turn += 1
    const inTurn = ports.map((_, index) => ports[(index + turn) % ports.length] ?? own)
    return inTurn.toSorted((a, b) => Number(states.get(b)) - Number(states.get(a)))
  }

  const server = createServer((call, answer) => {
    passOn(call, answer, candidates(), own, (node) => states.set(node, false))
  })
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address !== null && typeof address === 'object') own = address.port
  await look()
  const timer = setInterval(look, LOOK_EVERY_MS)

  return {
    port: own,
    ready: () => ports.filter((node) => states.get(node)),
    async close() {
      clearInterval(timer)
      server.close()
      server.closeAllConnections()
      await once(server, 'close')
    },
  }
}

function isReady(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const asked = get(
      { host: '127.0.0.1', port, path: '/readyz', timeout: LOOK_FOR_MS, agent: false },
      (answer) => {
        answer.resume()
        resolve(answer.statusCode === 200)
      },
    )
    asked.on('timeout', () => asked.destroy())
    asked.on('error', () => resolve(false))
  })
}

/**
 * Connects first, then sends. Until a connection is made, the request can go to the next node. A request that only reads
 * can also go there if the first node died while handling it.
 */
function passOn(
  call: IncomingMessage,
  answer: ServerResponse,
  nodes: readonly number[],
  own: number,
  onDown: (node: number) => void,
): void {
  const [node, ...others] = nodes
  if (node === undefined) {
    noNode(answer)
    return
  }
  let isConnected = false
  const passed = request({
    host: '127.0.0.1',
    port: node,
    method: call.method,
    path: call.url,
    headers: translated(call.headers, own, node),
    agent: false,
  })
  passed.on('socket', (socket: Socket) =>
    socket.once('connect', () => {
      isConnected = true
      call.pipe(passed)
    }),
  )
  passed.on('response', (given) => {
    answer.writeHead(given.statusCode ?? 502, kept(given.headers))
    given.pipe(answer)
    given.on('error', () => answer.destroy())
  })
  passed.on('error', () => {
    onDown(node)
    if (!isConnected || (onlyReads(call) && !answer.headersSent))
      return passOn(call, answer, others, own, onDown)
    if (answer.headersSent) answer.destroy()
    else unanswered(answer)
  })
  answer.on('close', () => passed.destroy())
}

/** A forwarded body is consumed, so a request with a body is never retried. */
function onlyReads({ method, headers }: IncomingMessage): boolean {
  const hasBody = headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined
  return (method === 'GET' || method === 'HEAD') && !hasBody
}

type Headers = Readonly<Record<string, string | string[] | undefined>>

/**
 * Nodes accept only their own name and port. A local name with the balancer's port is rewritten to the node's. Any other
 * name is left unchanged and the node rejects it, so pages of other sites get no further than without a balancer.
 */
function translated(headers: Headers, own: number, node: number): Record<string, string | string[]> {
  const { host, origin, ...rest } = kept(headers)
  const isOurs = LOCAL_NAMES.some((name) => host === `${name}:${own}`)
  const isOurOrigin = LOCAL_NAMES.some((name) => origin === `http://${name}:${own}`)
  return {
    ...rest,
    host: isOurs ? `127.0.0.1:${node}` : (host ?? ''),
    ...(origin !== undefined && { origin: isOurOrigin ? `http://127.0.0.1:${node}` : origin }),
  }
}

function kept(headers: Headers): Record<string, string | string[]> {
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined || OF_THE_CONNECTION.includes(name) ? [] : [[name, value]],
    ),
  )
}

function noNode(answer: ServerResponse): void {
  refuse(answer, 503, 'overloaded', 'No node is ready', 'Nothing was sent. Try again after Retry-After.')
}

function unanswered(answer: ServerResponse): void {
  refuse(
    answer,
    502,
    'storage_unavailable',
    'The node stopped before it responded',
    'The request may have been executed. Retry it with the same Idempotency-Key.',
  )
}

/** Uses the code of the service's error that has the same advice. */
function refuse(
  answer: ServerResponse,
  status: number,
  code: 'overloaded' | 'storage_unavailable',
  title: string,
  detail: string,
): void {
  answer.writeHead(status, { 'content-type': 'application/problem+json', 'retry-after': '1' })
  answer.end(JSON.stringify({ type: `/problems/${code}`, title, status, detail, code }))
}
