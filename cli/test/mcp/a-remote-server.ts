import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo, Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { TestScope } from '@deputize/testing/scope.ts'
import { NodeStreamableHTTPServerTransport, toNodeHandler } from '@modelcontextprotocol/node'
import {
  type CallToolResult,
  createMcpHandler,
  type EventStore,
  type JSONRPCMessage,
  Server,
} from '@modelcontextprotocol/server'

export interface RemoteServer {
  readonly url: string
  /** The tools that were called, in order. */
  readonly called: readonly string[]
  /** The sessions that are open. */
  readonly sessions: ReadonlyMap<string, unknown>
  /** Cuts every connection, like a failing network. */
  cut(): void
  /** Forgets every session, like a restarted server. */
  forget(): void
  stop(): Promise<void>
}

export interface RemoteOptions {
  readonly port?: number
  readonly tls?: { readonly key: string; readonly cert: string }
  /** Whether a client that lost a stream can resume it. */
  readonly is_resumable?: boolean
  /** Whether it uses the protocol revision of 2026, which has no sessions. */
  readonly is_modern?: boolean
  /** Returns where requests to /old are redirected, as a server does that is mounted at another path. */
  readonly redirected?: (host: string) => string
}

const TOOLS = ['echo', 'wait', 'large'].map((name) => ({ name, inputSchema: { type: 'object' as const } }))

/** A server built with the official packages, over HTTP, with tools that are slow or return a lot. */
export async function aRemoteServer(scope: TestScope, options: RemoteOptions = {}): Promise<RemoteServer> {
  const { port = 0, tls, is_modern = false, redirected = () => '/mcp' } = options
  const called: string[] = []
  const sessions = new Map<string, NodeStreamableHTTPServerTransport>()
  const serve = is_modern ? modern(called) : withSessions(called, sessions, options)
  const listener: RequestListener = (request, response) => {
    if (request.url !== '/old') return serve(request, response)
    response.writeHead(307, { location: redirected(request.headers.host ?? '') }).end()
  }
  const server = tls === undefined ? createServer(listener) : createTlsServer(tls, listener)
  const sockets = new Set<Socket>()
  server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
  const cut = () => {
    for (const socket of sockets) socket.destroy()
  }
  const stop = async () => {
    if (!server.listening) return
    const closed = once(server, 'close')
    server.close()
    for (const transport of sessions.values()) await transport.close()
    cut()
    await closed
  }
  scope.after(stop)
  const { port: bound } = server.address() as AddressInfo // it listens on a port, not on a path
  return {
    url: `${tls ? 'https' : 'http'}://127.0.0.1:${bound}/mcp`,
    called,
    sessions,
    cut,
    forget: () => sessions.clear(),
    stop,
  }
}

function modern(called: string[]): RequestListener {
  const handle = toNodeHandler(createMcpHandler(() => aServer(called)))
  // It accepts Node's requests; only its types require `method` to be always defined.
  return (request, response) => void handle(request as Parameters<typeof handle>[0], response)
}

function withSessions(
  called: string[],
  sessions: Map<string, NodeStreamableHTTPServerTransport>,
  { is_resumable = false }: RemoteOptions,
): RequestListener {
  async function begin(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const transport = new NodeStreamableHTTPServerTransport({
      sessionIdGenerator: () => randomUUID(),
      onsessioninitialized: (id) => void sessions.set(id, transport),
      onsessionclosed: (id) => void sessions.delete(id),
      ...(is_resumable && { eventStore: anEventStore() }),
    })
    await aServer(called).connect(transport)
    await transport.handleRequest(request, response)
  }

  return (request, response) => {
    const id = request.headers['mcp-session-id']
    const transport = sessions.get(String(id))
    if (transport !== undefined) void transport.handleRequest(request, response)
    else if (id === undefined) void begin(request, response)
    else response.writeHead(404).end()
  }
}

function aServer(called: string[]): Server {
  const server = new Server({ name: 'remote', version: '1.0.0' }, { capabilities: { tools: {} } })
  server.setRequestHandler('tools/list', () => ({ tools: TOOLS }))
  server.setRequestHandler('tools/call', async ({ params }, { mcpReq }) => {
    const { name, arguments: given = {} } = params
    called.push(name)
    const progressToken = params._meta?.progressToken
    if (progressToken !== undefined)
      await mcpReq.notify({ method: 'notifications/progress', params: { progressToken, progress: 1 } })
    if (name === 'wait') await sleep(Number(given.ms), undefined, { ref: false })
    if (name === 'large') return text('x'.repeat(Number(given.bytes)))
    return text(String(given.message ?? 'done'))
  })
  return server
}

function text(words: string): CallToolResult {
  return { content: [{ type: 'text', text: words }] }
}

/** Remembers what was said on each stream. */
function anEventStore(): EventStore {
  const kept: { readonly id: string; readonly stream: string; readonly message: JSONRPCMessage }[] = []
  const streamOf = (id: string) => kept.find((event) => event.id === id)?.stream
  return {
    async storeEvent(stream, message) {
      const id = `${stream}/${kept.length}`
      kept.push({ id, stream, message })
      return id
    },
    getStreamIdForEventId: async (id) => streamOf(id),
    async replayEventsAfter(last, { send }) {
      const stream = streamOf(last) ?? ''
      const from = kept.findIndex(({ id }) => id === last)
      for (const event of kept.slice(from + 1)) {
        const isMessage = Object.keys(event.message).length > 0
        if (event.stream === stream && isMessage) await send(event.id, event.message)
      }
      return stream
    },
  }
}
