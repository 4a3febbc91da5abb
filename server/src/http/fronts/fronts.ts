import type { IncomingHttpHeaders, IncomingMessage, Server, ServerResponse } from 'node:http'
import { createServer } from 'node:net'
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import type { ConnectionWatch } from '../connections.ts'
import { handOverRefusal } from '../handed-over.ts'
import type { LeanExchange } from '../lean-path.ts'
import { answerText } from './answer-text.ts'
import { FrontSocket } from './front-socket.ts'
import { requestBytes } from './request-head.ts'
import type { CallPattern, FromFront, FrontData, ToFront, WiredAnswer, WiredCall } from './wire.ts'

export interface FrontsOptions {
  readonly threads: number
  readonly host: string
  readonly port: number
  /** Reads what arrives as bytes. It does not listen itself. */
  readonly server: Server
  readonly connections: ConnectionWatch
  readonly calls: readonly CallPattern[]
  /** Carries out a call that a front has read. */
  carry(exchange: LeanExchange, body: Buffer): void
}

/** Threads that accept connections and speak HTTP. This thread decides about every request that they read. */
export interface Fronts {
  readonly address: string
  /** Accepts no more connections, answers what is under way and ends the threads. */
  close(): Promise<void>
}

/** How long clients may still send requests on connections that they consider open. */
const LEAVE_MS = 300
/** Connections that have not ended by then are cut off. */
const CUT_MS = 5_000
const LOOK_EVERY_MS = 5
const READ_TURNS = 2

export async function openFronts(options: FrontsOptions): Promise<Fronts> {
  if (options.port !== 0) await assertFree(options)
  takeRequests(options.server)
  const first = await startFront(options, options.port)
  const { port } = first
  const others = await Promise.all(
    Array.from({ length: options.threads - 1 }, () => startFront(options, port)),
  )
  const fronts = [first, ...others]
  return {
    address: `http://${nameOf(first.address)}:${port}`,
    async close() {
      await Promise.all(fronts.map((front) => front.stop()))
      await until(() => fronts.every(({ open }) => open() === 0), LEAVE_MS)
      // What has arrived by now is read before idle connections are closed.
      for (let turn = 0; turn < READ_TURNS; turn += 1) await nextTurn()
      for (const front of fronts) front.leave()
      options.server.closeIdleConnections()
      await until(() => fronts.every(({ open }) => open() === 0), CUT_MS)
      await Promise.all(fronts.map((front) => front.end()))
    },
  }
}

/** Fronts share the port with each other, so the system would let them share it with another program, too. */
async function assertFree({ host, port }: FrontsOptions): Promise<void> {
  const probe = createServer()
  await new Promise<void>((resolve, reject) => {
    probe.once('error', reject)
    probe.listen({ host, port }, () => probe.close(() => resolve()))
  })
}

/** An address that a client on this machine can use. */
function nameOf(address: string): string {
  if (address === '0.0.0.0' || address === '::') return '127.0.0.1'
  return address.includes(':') ? `[${address}]` : address
}

async function until(isSo: () => boolean, patience_ms: number): Promise<void> {
  const end_ms = performance.now() + patience_ms
  while (!isSo() && performance.now() < end_ms) await sleep(LOOK_EVERY_MS)
}

/** Follows requests that fronts have sent as bytes. */
function takeRequests(server: Server): void {
  // A server begins to check the timeouts of its connections when it says that it listens.
  server.emit('listening')
  server.prependListener('request', (request: IncomingMessage, response: ServerResponse) => {
    const socket: unknown = request.socket
    if (!(socket instanceof FrontSocket)) return
    const refusal = socket.takeRefusal()
    if (refusal !== undefined) handOverRefusal(request, refusal)
    response.once('close', () => socket.onAnswered(request.complete))
  })
}

interface Front {
  readonly address: string
  readonly port: number
  /** How many connections are open. */
  open(): number
  stop(): Promise<void>
  leave(): void
  end(): Promise<unknown>
}

async function startFront(options: FrontsOptions, port: number): Promise<Front> {
  const { host, calls, server, connections, carry } = options
  const workerData: FrontData = { host, port, calls }
  const worker = new Worker(new URL('./front-worker.ts', import.meta.url), { workerData })
  const sockets = new Map<number, FrontSocket>()
  const stopped = Promise.withResolvers<void>()
  const listening = Promise.withResolvers<{ readonly address: string; readonly port: number }>()
  let answers: WiredAnswer[] = []

  const send = (message: ToFront, transfer: readonly ArrayBuffer[] = []) =>
    worker.postMessage(message, transfer)
  const attach = (socket: FrontSocket) => void server.emit('connection', socket)

  function answer(line: number, text: string, isLast: boolean): void {
    answers.push([line, text, isLast])
    if (answers.length === 1) setImmediate(flush)
  }

  /** One message for all calls that were answered in a turn. */
  function flush(): void {
    send(JSON.stringify(answers))
    answers = []
  }

  function open(line: number, address: string): void {
    const socket = new FrontSocket({ line, address, send, attach })
    sockets.set(line, socket)
    socket.once('close', () => sockets.delete(line))
    connections.open(socket)
  }

  function take([line, method, url, raw_headers, body]: WiredCall): void {
    const socket = sockets.get(line)
    if (socket === undefined) return // it was closed meanwhile
    const bytes = Buffer.from(body, 'latin1')
    const end = connections.begin(socket)
    socket.once('close', end)
    const done = () => {
      socket.off('close', end)
      end()
    }
    const pass = (refusal?: Parameters<LeanExchange['passRefusal']>[0]) => {
      done()
      if (!socket.destroyed) socket.receive(requestBytes({ method, url, raw_headers }, bytes), refusal)
    }
    carry(
      {
        request: { method, url, headers: headersOf(raw_headers), rawHeaders: [...raw_headers], socket },
        send(status, headers, text) {
          done()
          if (!socket.destroyed)
            answer(line, answerText(status, headers, text), headers.connection === 'close')
        },
        passOn: () => pass(),
        passRefusal: pass,
      },
      bytes,
    )
  }

  function receive(message: FromFront): void {
    if (typeof message === 'string')
      for (const call of JSON.parse(message) as WiredCall[]) take(call) // as the front has written it
    else if ('bytes' in message) sockets.get(message.bytes)?.receive(message.chunk)
    else if ('written' in message) sockets.get(message.written)?.onWritten()
    else if ('opened' in message) open(message.opened, message.address)
    else if ('ended' in message) sockets.get(message.ended)?.onEnded()
    else if ('closed' in message) sockets.get(message.closed)?.onClosed()
    else if ('stopped' in message) stopped.resolve()
    else if ('listening' in message) listening.resolve(message.listening)
    else listening.reject(Object.assign(new Error(message.failed.message), { code: message.failed.code }))
  }

  worker.on('message', receive)
  worker.on('error', (cause) => {
    throw cause // without its fronts the service answers nobody, so it must end
  })
  const bound = await listening.promise.catch(async (error) => {
    await worker.terminate()
    throw error
  })
  return {
    ...bound,
    open: () => sockets.size,
    stop() {
      send({ stop: true })
      return stopped.promise
    },
    leave: () => send({ leave: true }),
    end: () => worker.terminate(),
  }
}

/** No name occurs twice in a call. */
function headersOf(raw_headers: readonly string[]): IncomingHttpHeaders {
  const headers: IncomingHttpHeaders = {}
  for (let index = 0; index < raw_headers.length; index += 2)
    headers[String(raw_headers[index]).toLowerCase()] = raw_headers[index + 1]
  return headers
}
