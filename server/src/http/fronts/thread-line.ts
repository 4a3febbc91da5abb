import { EventEmitter } from 'node:events'
import type { ConnectionWatch, OpenConnection } from '../connections/connections.ts'
import type { HandedOverRefusal } from '../connections/handed-over.ts'
import type { LineControl } from './front-line.ts'
import { FrontSocket } from './front-socket.ts'
import type { CallSource } from './line-call.ts'
import type { RequestReader } from './take-connections.ts'

export interface ThreadLineOptions {
  readonly line: LineControl
  readonly address: string
  readonly connections: ConnectionWatch
  /** Makes the HTTP server read requests that arrive as bytes. */
  readonly readRequests: RequestReader
}

/**
 * A connection that another thread has accepted. It lasts until that thread reports it closed: the HTTP server only
 * closes a stream that represents it, while the connection may still carry a call.
 */
export class ThreadLine extends EventEmitter implements OpenConnection, CallSource {
  readonly line: LineControl
  readonly remoteAddress: string
  readonly #connections: ConnectionWatch
  readonly #readRequests: RequestReader
  #stream: FrontSocket | undefined
  #hadCalls = false
  #isLeaving = false
  #isOver = false

  constructor({ line, address, connections, readRequests }: ThreadLineOptions) {
    super()
    this.line = line
    this.remoteAddress = address
    this.#connections = connections
    this.#readRequests = readRequests
  }

  get socket(): this {
    return this
  }

  get destroyed(): boolean {
    return this.#isOver || this.#stream?.isLineOver === true
  }

  /** A request already read is still answered, unless it is the first: many that arrive at once would all stay. */
  destroy(): void {
    if (this.#stream !== undefined) return void this.#stream.destroy()
    if (!this.#hadCalls) return void this.#cut()
    this.#isLeaving = true
    this.line.leave()
  }

  begin(): () => void {
    this.#hadCalls = true
    return this.#connections.begin(this)
  }

  receive(bytes: Uint8Array, refusal?: HandedOverRefusal): void {
    if (!this.destroyed) this.#openStream().receive(bytes, refusal)
  }

  /** Called before a request of uncertain end. A closing connection is cut, as it wouldn't close after the answer. */
  onUnclear(): void {
    if (this.destroyed) return
    if (this.#isLeaving || this.#stream?.destroyed === true) this.#cut()
    else this.#openStream().onUnclear()
  }

  onWritten(): void {
    this.#stream?.onWritten()
  }

  onEnded(): void {
    this.#stream?.onEnded()
  }

  onClosed(): void {
    this.#isOver = true
    this.#stream?.onClosed()
    this.emit('close')
  }

  #cut(): void {
    this.#isOver = true
    this.line.destroy()
  }

  #openStream(): FrontSocket {
    if (this.#stream !== undefined && !this.#stream.destroyed) return this.#stream
    this.#stream = new FrontSocket({
      line: this.line,
      address: this.remoteAddress,
      connection: this,
      attach: this.#readRequests,
    })
    return this.#stream
  }
}
