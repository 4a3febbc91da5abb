import { Duplex } from 'node:stream'
import type { OpenConnection } from '../connections/connections.ts'
import type { HandedOverRefusal } from '../connections/handed-over.ts'
import type { AnswerPart, LineControl } from './front-line.ts'

export interface FrontSocketOptions {
  readonly line: LineControl
  readonly address: string
  /** What is counted as the connection. */
  readonly connection: OpenConnection
  /** Has the HTTP server of this thread read what arrives as bytes. */
  attach(socket: FrontSocket): void
}

/**
 * Stands for the connection of a client, as a stream of bytes that the HTTP server of this thread reads and writes. The server
 * may close it as idle while the connection carries a call, which is then answered before the connection ends.
 */
export class FrontSocket extends Duplex {
  readonly line: LineControl
  readonly remoteAddress: string
  readonly connection: OpenConnection
  readonly #attach: (socket: FrontSocket) => void
  #isAttached = false
  /** A request of this stream is under way. Otherwise the connection may carry a call. */
  #isInUse = false
  /** All that arrives on the connection is for this stream. */
  #isUnclear = false
  #isLineOver = false
  #isPausedThere = false
  #onWritten: (() => void) | undefined
  #refusal: HandedOverRefusal | undefined

  constructor({ line, address, connection, attach }: FrontSocketOptions) {
    super({ allowHalfOpen: true, decodeStrings: false })
    this.line = line
    this.remoteAddress = address
    this.connection = connection
    this.#attach = attach
    this.on('error', () => {}) // it closes, too
  }

  /** Bytes of a request. With a refusal, the request is only answered. */
  receive(bytes: Uint8Array, refusal?: HandedOverRefusal): void {
    if (this.destroyed) return
    if (!this.#isAttached) this.#attach(this)
    this.#isAttached = true
    this.#isInUse = true
    this.#refusal = refusal
    if (this.push(bytes) || this.#isPausedThere) return
    this.#isPausedThere = true
    this.line.pause()
  }

  takeRefusal(): HandedOverRefusal | undefined {
    const refusal = this.#refusal
    this.#refusal = undefined
    return refusal
  }

  /** The HTTP server has answered a request. If its body was not read as a whole, the rest of it may still arrive. */
  onAnswered(isComplete: boolean): void {
    if (this.destroyed || this.writableEnded) return // nothing follows the answer that ends the connection
    this.#isInUse = !isComplete
    if (isComplete) return void this.line.next()
    this.onUnclear()
    this.line.becomeUnclear()
  }

  /** From now on, only the HTTP server knows where requests begin and end. */
  onUnclear(): void {
    this.#isUnclear = true
  }

  /** Whether the connection is closed, or will be without another answer. */
  get isLineOver(): boolean {
    return this.#isLineOver
  }

  /** The client sends no more. */
  onEnded(): void {
    this.push(null)
  }

  /** As sockets do: closes once everything was written. */
  destroySoon(): void {
    if (this.writable) this.end()
    if (this.writableFinished) this.destroy()
    else this.once('finish', () => this.destroy())
  }

  onWritten(): void {
    const done = this.#onWritten
    this.#onWritten = undefined
    done?.()
  }

  /** The client's connection is closed. */
  onClosed(): void {
    this.#isLineOver = true
    this.destroy()
  }

  override _read(): void {
    if (!this.#isPausedThere) return
    this.#isPausedThere = false
    this.line.resume()
  }

  override _write(chunk: Buffer | string, encoding: BufferEncoding, done: () => void): void {
    this._writev([{ chunk, encoding }], done)
  }

  override _writev(parts: readonly AnswerPart[], done: () => void): void {
    this.#onWritten = done
    this.line.write(parts)
  }

  override _final(done: () => void): void {
    this.line.end()
    done()
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    if (!this.#isLineOver) this.#close()
    this.onWritten()
    done(error)
  }

  /** What was written may still be on its way. */
  #close(): void {
    this.#isLineOver = this.writableFinished || this.#isInUse || this.#isUnclear
    if (!this.#isLineOver) this.line.leave()
    else if (this.#isInUse && !this.writableFinished) this.line.destroy()
    else this.line.finish()
  }
}
