import { once } from 'node:events'
import type { Socket } from 'node:net'
import { createServer, type TLSSocket } from 'node:tls'
import { StoreError } from '../../store/port/store-error.ts'
import type { RelayedBatch } from '../thread.ts'
import { encodeFrame, FrameReader, type RelayFrame } from './frames.ts'
import { RELAY_IDENTITY, RELAY_TLS } from './relay-key.ts'

/** How often the listener shows that it is alive. */
export const BEAT_MS = 300
const HANDSHAKE_MS = 2_000
const MOST_CONNECTIONS = 256
/** Connections of one address that haven't proved yet that they have the key. */
const MOST_UNPROVEN = 16
/** An older batch was sent before this process was paused. Its callers have been told that the outcome is unknown. */
const LATE_MS = 15_000
/** How long a node that shuts down waits for others to notice. */
const LEAVING_MS = 2_000

export interface ClerkListenerOptions {
  readonly host: string
  /** 0: the operating system chooses one. */
  readonly port: number
  readonly key: Uint8Array
  /** The name of this process. Other nodes ask for it, because its address may have passed to another process. */
  readonly holder: string
  readonly relay: (batch: RelayedBatch) => Promise<string>
  readonly logTime: () => number
}

export interface ClerkListener {
  readonly port: number
  /** Tells the other nodes to send nothing more, and resolves when everything they have sent is answered. */
  close(): Promise<void>
}

/** Takes batches of other nodes and has the writing thread of this one judge and write them. */
export async function openClerkListener(options: ClerkListenerOptions): Promise<ClerkListener> {
  const nodes = new Set<TLSSocket>()
  const unproven = new UnprovenConnections()
  const server = createServer(
    {
      ...RELAY_TLS,
      handshakeTimeout: HANDSHAKE_MS,
      pskCallback: (_, identity) => (identity === RELAY_IDENTITY ? options.key : null),
    },
    (socket) => {
      unproven.leave(socket)
      nodes.add(socket)
      socket.on('close', () => nodes.delete(socket))
      serveNode(socket, options)
    },
  )
  server.maxConnections = MOST_CONNECTIONS
  server.on('connection', (socket) => {
    if (!unproven.enter(socket)) socket.destroy()
    socket.on('close', () => unproven.leave(socket))
  })
  server.on('tlsClientError', (_, socket) => socket.destroy())
  server.listen(options.port, options.host)
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('the listener has no port')
  return {
    port: address.port,
    async close() {
      const closed = once(server, 'close')
      server.close()
      for (const socket of nodes) socket.write(encodeFrame({ kind: 'leaving' }))
      const impatience = setTimeout(() => {
        for (const socket of nodes) socket.destroy()
      }, LEAVING_MS)
      await closed
      clearTimeout(impatience)
    },
  }
}

/** Limits them for each address, so that none takes the places of all nodes. */
class UnprovenConnections {
  /** Their ports, by address. */
  readonly #ports = new Map<string, Set<number>>()

  /** Returns false if the address has too many of them. */
  enter({ remoteAddress = '', remotePort = 0 }: Socket): boolean {
    const ports = this.#ports.get(remoteAddress) ?? new Set()
    if (ports.size >= MOST_UNPROVEN) return false
    this.#ports.set(remoteAddress, ports.add(remotePort))
    return true
  }

  /** Called when the connection proved it, or closed. */
  leave({ remoteAddress = '', remotePort = 0 }: Socket): void {
    const ports = this.#ports.get(remoteAddress)
    ports?.delete(remotePort)
    if (ports?.size === 0) this.#ports.delete(remoteAddress)
  }
}

/** Answers the batches of one node. A crash leaves the sender without answers: it treats the outcomes as unknown. */
function serveNode(socket: TLSSocket, { holder, relay, logTime }: ClerkListenerOptions): void {
  const reader = new FrameReader()
  let isGreeted = false
  const beat = () => socket.write(encodeFrame({ kind: 'beat' }))
  const timer = setInterval(beat, BEAT_MS)
  socket.setNoDelay(true)
  socket.on('close', () => clearInterval(timer))
  socket.on('error', () => socket.destroy())
  socket.on('data', (piece: Buffer) => {
    try {
      for (const frame of reader.read(piece)) receive(frame)
    } catch {
      socket.destroy() // another program, or a node that runs a different version
    }
  })

  function receive(frame: RelayFrame): void {
    if (!isGreeted) {
      if (frame.kind !== 'hello' || frame.text !== holder)
        throw new Error('the greeting is for a different process')
      isGreeted = true
      beat()
    } else if (frame.kind === 'batch') void answer(frame)
  }

  async function answer({ batch, weight, now_ms, text }: RelayFrame): Promise<void> {
    try {
      if (isLate(now_ms)) throw new StoreError('the batch came too late', 'nothing_written', undefined)
      const result = await relay({ lane: undefined, weight, now_ms, commands: text })
      if (socket.writable) socket.write(encodeFrame({ kind: 'committed', batch, text: result }))
    } catch (error) {
      if (socket.writable) socket.write(encodeFrame({ kind: 'failed', batch, text: String(error) }))
    }
  }

  function isLate(sent_at_ms: number): boolean {
    const now_ms = logTime()
    return sent_at_ms > 0 && now_ms > 0 && now_ms - sent_at_ms > LATE_MS
  }
}
