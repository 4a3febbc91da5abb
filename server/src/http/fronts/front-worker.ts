import { createServer } from 'node:net'
import { type MessagePort, parentPort, workerData } from 'node:worker_threads'
import { FrontLine } from './front-line.ts'
import type { FromFront, FrontData, ToFront, WiredAnswer, WiredCall } from './wire.ts'

/** When this many calls wait, they are sent before the turn ends, so that the other thread can start on them. */
const CALLS_PER_MESSAGE = 16

/** Accepts connections and speaks HTTP on them. Whatever depends on earlier calls is decided by another thread. */
function runFront(port: MessagePort, { host, port: wanted, calls }: FrontData): void {
  const lines = new Map<number, FrontLine>()
  const patterns = calls.map(({ method, pattern }) => ({ method, address: new RegExp(pattern) }))
  let opened = 0
  let waiting: WiredCall[] = []

  function flush(): void {
    if (waiting.length === 0) return
    port.postMessage(JSON.stringify(waiting))
    waiting = []
  }

  function sendCall(call: WiredCall): void {
    waiting.push(call)
    if (waiting.length >= CALLS_PER_MESSAGE) flush()
    else if (waiting.length === 1) setImmediate(flush)
  }

  /** Sends waiting calls first, so that messages and calls arrive in the order in which they are sent. */
  function send(message: FromFront, transfer: readonly ArrayBuffer[] = []): void {
    flush()
    port.postMessage(message, transfer)
  }

  const isCall = (method: string, url: string) =>
    patterns.some((known) => known.method === method && known.address.test(url))

  const server = createServer({ allowHalfOpen: true, noDelay: true }, (socket) => {
    const id = opened++
    send({ kind: 'opened', line: id, address: socket.remoteAddress ?? '' })
    const pass = (bytes: Buffer) => {
      const chunk = new Uint8Array(bytes) // a copy, because a message would carry the whole buffer behind a slice
      send({ kind: 'bytes', line: id, chunk }, [chunk.buffer])
    }
    const line = new FrontLine(socket, {
      takeCall({ method, url, raw_headers, head_bytes, has_repeated }, request) {
        if (has_repeated || !isCall(method, url)) return false
        sendCall([id, method, url, raw_headers, request.toString('latin1', head_bytes)])
        return true
      },
      passRequest(bytes, isEndCertain) {
        if (!isEndCertain) send({ kind: 'unclear', line: id })
        pass(bytes)
      },
      passMore: pass,
      onWritten: () => send({ kind: 'written', line: id }),
      onEnded: () => send({ kind: 'ended', line: id }),
      onClosed() {
        lines.delete(id)
        send({ kind: 'closed', line: id })
      },
    })
    lines.set(id, line)
  })
  server.on('error', (error: NodeJS.ErrnoException) =>
    send({ kind: 'failed', code: error.code ?? '', message: error.message }),
  )
  server.listen({ host, port: wanted, reusePort: true }, () => {
    const bound = server.address()
    if (bound !== null && typeof bound === 'object')
      send({ kind: 'listening', address: bound.address, port: bound.port })
  })

  function receive(message: ToFront): void {
    if (typeof message === 'string') {
      const answers: readonly WiredAnswer[] = JSON.parse(message)
      for (const [id, text, isLast] of answers) lines.get(id)?.answer(text, isLast)
      return
    }
    switch (message.kind) {
      case 'write':
        lines.get(message.line)?.write([{ chunk: message.chunk, encoding: 'latin1' }])
        break
      case 'tell':
        lines.get(message.line)?.[message.verb]()
        break
      case 'stop':
        server.close()
        send({ kind: 'stopped' })
        break
      case 'leave':
        for (const line of lines.values()) line.leave()
        break
      default:
        message satisfies never
    }
  }

  port.on('message', receive)
}

if (parentPort !== null) runFront(parentPort, workerData)
