import { Duplex } from 'node:stream'
import type { OpenConnection } from '../connections/connections.ts'
import type { HandedOverRefusal } from '../connections/handed-over.ts'
import type { AnswerPart, LineControl } from './front-line.ts'

export interface FrontSocketOptions {
  readonly line: LineControl
  readonly address: string
  /** The connection that limits are counted for. */
  readonly connection: OpenConnection
  /** Makes the HTTP server of this thread read the bytes that arrive. */
  attach(socket: FrontSocket): void
}

/**
 * A byte stream that represents a client's connection and that the HTTP server of this thread reads and writes. The
 * server may close it as idle while the connection carries a call, which is then answered before the connection ends.
 */
export class FrontSocket extends Duplex {
  readonly line: LineControl
  readonly remoteAddress: string
  readonly connection: OpenConnection
  readonly #attach: (socket: FrontSocket) => void
  #isAttached = false
  /** A request of this stream is under way. Otherwise the connection may carry a call. */
  #isInUse = false
  /** Everything that arrives on the connection is for this stream. */
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
    this.on('error', () => {}) // 'close' follows
  }

  /** Receives bytes of a request. With a refusal, the request is only answered. */
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

  /** Called when a request was answered. If its body wasn't read completely, the rest may still arrive. */
  onAnswered(isComplete: boolean): void {
    if (this.destroyed || this.writableEnded) return // nothing follows the answer that ends the connection
    this.#isInUse = !isComplete
    if (isComplete) return void this.line.next()
    this.onUnclear()
    this.line.becomeUnclear()
  }

  /** Called when only the HTTP server knows where requests begin and end from now on. */
  onUnclear(): void {
    this.#isUnclear = true
  }

  /** Whether the connection is closed, or will be closed without another answer. */
  get isLineOver(): boolean {
    return this.#isLineOver
  }

  /** Called when the client sends no more. */
  onEnded(): void {
    this.push(null)
  }

  /** Closes once everything was written, like a socket. */
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

  /** Called when the client's connection is closed. */
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

  /** Closes the line. Written bytes may still be on their way. */
  #close(): void {
    this.#isLineOver = this.writableFinished || this.#isInUse || this.#isUnclear
    if (!this.#isLineOver) this.line.leave()
    else if (this.#isInUse && !this.writableFinished) this.line.destroy()
    else this.line.finish()
  }
}
