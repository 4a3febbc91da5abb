import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import type { ConnectionWatch } from '../connections/connections.ts'
import type { HandedOverRefusal } from '../connections/handed-over.ts'
import type { LeanPath } from '../lean/lean-path.ts'
import { FrontLine, type LineOwner } from './front-line.ts'
import { FrontSocket } from './front-socket.ts'
import { type CallSource, LineCall } from './line-call.ts'
import type { RequestHead } from './request-head.ts'
import type { RequestReader } from './take-connections.ts'

/** Reads the connections that the HTTP server accepts, as long as they may carry calls. */
export interface OwnFront {
  /** Closes idle connections, and all others after their next answer. */
  leave(): void
  /** Cuts off all connections that are still open. */
  cut(): void
}

export interface OwnFrontOptions {
  readonly server: Server
  readonly connections: ConnectionWatch
  readonly lean: Pick<LeanPath, 'find' | 'carry'>
  /** Makes the HTTP server read a connection. */
  readonly readRequests: RequestReader
}

export function openOwnFront(options: OwnFrontOptions): OwnFront {
  const lines = new Set<OwnLine>()
  options.server.on('connection', (socket: Socket) => {
    options.connections.open(socket)
    lines.add(new OwnLine(socket, options, (line) => lines.delete(line)))
  })
  return {
    leave() {
      for (const { line } of lines) line.leave()
    },
    cut() {
      for (const { line } of lines) line.destroy()
    },
  }
}

/** After this many requests in a row that aren't calls, a connection is no longer expected to carry any. */
const NO_CALLS = 8

/**
 * A connection of this thread. Requests that are not answered here go to the HTTP server one at a time, through a stream that
 * represents the connection. A connection that carries no calls, or whose requests have no certain end, is handed to the
 * server permanently.
 */
class OwnLine implements LineOwner, CallSource {
  readonly socket: Socket
  readonly line: FrontLine
  readonly #options: OwnFrontOptions
  readonly #forget: (line: OwnLine) => void
  #stream: FrontSocket | undefined
  #others = 0

  constructor(socket: Socket, options: OwnFrontOptions, forget: (line: OwnLine) => void) {
    this.socket = socket
    this.#options = options
    this.#forget = forget
    this.line = new FrontLine(socket, this)
  }

  takeCall(head: RequestHead, request: Buffer): boolean {
    const { lean } = this.#options
    const match = lean.find(head.method, head.url)
    if (match === undefined || head.has_repeated) return false
    const body = request.subarray(head.head_bytes)
    this.#others = 0
    lean.carry(match, new LineCall(head, body, this), body)
    return true
  }

  passRequest(bytes: Buffer, isEndCertain: boolean): void {
    this.#others += 1
    if (!isEndCertain || this.#others > NO_CALLS) this.#handOver(bytes)
    else this.receive(bytes)
  }

  passMore(bytes: Buffer): void {
    this.#stream?.receive(bytes)
  }

  receive(bytes: Buffer, refusal?: HandedOverRefusal): void {
    if (this.#stream === undefined || this.#stream.destroyed) this.#stream = this.#newStream()
    this.#stream.receive(bytes, refusal)
  }

  #newStream(): FrontSocket {
    return new FrontSocket({
      line: this.line,
      address: this.socket.remoteAddress ?? '',
      connection: this.socket,
      attach: this.#options.readRequests,
    })
  }

  begin(): () => void {
    return this.#options.connections.begin(this.socket)
  }

  onWritten(): void {
    this.#stream?.onWritten()
  }

  onEnded(): void {
    this.#stream?.onEnded()
  }

  onClosed(): void {
    this.#forget(this)
    this.#stream?.onClosed()
  }

  #handOver(bytes: Buffer): void {
    this.#forget(this)
    this.#stream?.onClosed() // it no longer represents the connection
    this.line.release(bytes)
    this.#options.readRequests(this.socket)
    this.socket.resume()
  }
}
