import type { Server } from 'node:http'
import { createServer } from 'node:net'
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import { CUT_MS, LEAVE_MS, READ_TURNS } from '../connections/connection-times.ts'
import type { ConnectionWatch } from '../connections/connections.ts'
import type { LeanPath } from '../lean/lean-path.ts'
import type { AnswerPart, LineControl, LineVerb } from './front-line.ts'
import { LineCall } from './line-call.ts'
import { headersOf } from './request-head.ts'
import type { RequestReader } from './take-connections.ts'
import { ThreadLine } from './thread-line.ts'
import type { CallPattern, FromFront, FrontData, ToFront, WiredAnswer, WiredCall } from './wire.ts'

export interface FrontsOptions {
  readonly threads: number
  readonly host: string
  readonly port: number
  /** Reads requests that arrive as bytes. It doesn't listen itself. */
  readonly server: Server
  readonly connections: ConnectionWatch
  readonly calls: readonly CallPattern[]
  readonly lean: Pick<LeanPath, 'find' | 'carry'>
  readonly readRequests: RequestReader
}

/** Threads that accept connections and speak HTTP. This thread handles every request that they read. */
export interface Fronts {
  readonly address: string
  /** Accepts no more connections, answers the requests under way and ends the threads. */
  close(): Promise<void>
}

const LOOK_EVERY_MS = 5

export async function openFronts(options: FrontsOptions): Promise<Fronts> {
  if (options.port !== 0) await assertFree(options)
  // A server starts to check the timeouts of its connections when it emits 'listening'.
  options.server.emit('listening')
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
      // Requests that have arrived by now are read before idle connections are closed.
      for (let turn = 0; turn < READ_TURNS; turn += 1) await nextTurn()
      for (const front of fronts) front.leave()
      options.server.closeIdleConnections()
      await until(() => fronts.every(({ open }) => open() === 0), CUT_MS)
      await Promise.all(fronts.map((front) => front.end()))
    },
  }
}

/** Throws if the port is taken. Fronts share the port, so the system would let another program share it too. */
async function assertFree({ host, port }: FrontsOptions): Promise<void> {
  const probe = createServer()
  await new Promise<void>((resolve, reject) => {
    probe.once('error', reject)
    probe.listen({ host, port }, () => probe.close(() => resolve()))
  })
}

/** Returns an address that a client on this machine can use. */
function nameOf(address: string): string {
  if (address === '0.0.0.0' || address === '::') return '127.0.0.1'
  return address.includes(':') ? `[${address}]` : address
}

async function until(isSo: () => boolean, patience_ms: number): Promise<void> {
  const end_ms = performance.now() + patience_ms
  while (!isSo() && performance.now() < end_ms) await sleep(LOOK_EVERY_MS)
}

function bytesOf({ chunk, encoding }: AnswerPart): Uint8Array {
  return typeof chunk === 'string' ? Buffer.from(chunk, encoding) : chunk
}

interface Front {
  readonly address: string
  readonly port: number
  /** Number of open connections. */
  open(): number
  stop(): Promise<void>
  leave(): void
  end(): Promise<unknown>
}

async function startFront(options: FrontsOptions, port: number): Promise<Front> {
  const { host, calls, connections, lean, readRequests } = options
  const workerData: FrontData = { host, port, calls }
  const worker = new Worker(new URL('./front-worker.ts', import.meta.url), { workerData })
  const lines = new Map<number, ThreadLine>()
  const stopped = Promise.withResolvers<void>()
  const listening = Promise.withResolvers<{ readonly address: string; readonly port: number }>()
  let answers: WiredAnswer[] = []

  const send = (message: ToFront, transfer: readonly ArrayBuffer[] = []) =>
    worker.postMessage(message, transfer)

  function answer(line: number, text: string, isLast: boolean): void {
    answers.push([line, text, isLast])
    if (answers.length === 1) setImmediate(flush)
  }

  /** Sends one message for all calls that were answered in a turn. */
  function flush(): void {
    send(JSON.stringify(answers))
    answers = []
  }

  function controlOf(line: number): LineControl {
    const telling = (verb: LineVerb) => () => send({ kind: 'tell', line, verb })
    return {
      answer: (text, isLast) => answer(line, text, isLast),
      write(parts) {
        const chunk = new Uint8Array(Buffer.concat(parts.map(bytesOf)))
        send({ kind: 'write', line, chunk }, [chunk.buffer])
      },
      next: telling('next'),
      becomeUnclear: telling('becomeUnclear'),
      pause: telling('pause'),
      resume: telling('resume'),
      leave: telling('leave'),
      end: telling('end'),
      finish: telling('finish'),
      destroy: telling('destroy'),
    }
  }

  function open(id: number, address: string): void {
    const line = new ThreadLine({ line: controlOf(id), address, connections, readRequests })
    lines.set(id, line)
    connections.open(line)
  }

  function take([id, method, url, raw_headers, text]: WiredCall): void {
    const line = lines.get(id)
    if (line === undefined || line.destroyed) return // it was closed in the meantime
    const body = Buffer.from(text, 'latin1')
    const call = new LineCall({ method, url, raw_headers, headers: headersOf(raw_headers) }, body, line)
    const match = lean.find(method, url)
    if (match === undefined) call.passOn()
    else lean.carry(match, call, body)
  }

  function close(id: number): void {
    lines.get(id)?.onClosed()
    lines.delete(id)
  }

  function receive(message: FromFront): void {
    if (typeof message === 'string') {
      for (const call of JSON.parse(message) as WiredCall[]) take(call) // as the front has written it
      return
    }
    switch (message.kind) {
      case 'bytes':
        lines.get(message.line)?.receive(message.chunk)
        break
      case 'unclear':
        lines.get(message.line)?.onUnclear()
        break
      case 'written':
        lines.get(message.line)?.onWritten()
        break
      case 'opened':
        open(message.line, message.address)
        break
      case 'ended':
        lines.get(message.line)?.onEnded()
        break
      case 'closed':
        close(message.line)
        break
      case 'stopped':
        stopped.resolve()
        break
      case 'listening':
        listening.resolve(message)
        break
      case 'failed':
        listening.reject(Object.assign(new Error(message.message), { code: message.code }))
        break
      default:
        message satisfies never
    }
  }

  worker.on('message', receive)
  worker.on('error', (cause) => {
    throw cause // without its fronts the service can't answer, so it must end
  })
  const { address, port: bound } = await listening.promise.catch(async (error) => {
    await worker.terminate()
    throw error
  })
  return {
    address,
    port: bound,
    open: () => lines.size,
    stop() {
      send({ kind: 'stop' })
      return stopped.promise
    },
    leave: () => send({ kind: 'leave' }),
    end: () => worker.terminate(),
  }
}
