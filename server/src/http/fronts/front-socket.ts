import { Duplex } from 'node:stream'
import type { HandedOverRefusal } from '../handed-over.ts'
import type { ToFront } from './wire.ts'

export interface FrontSocketOptions {
  /** The number of the connection at its front. */
  readonly line: number
  readonly address: string
  send(message: ToFront, transfer?: readonly ArrayBuffer[]): void
  /** Has the HTTP server of this thread read what arrives as bytes. */
  attach(socket: FrontSocket): void
}

/** The connection of a client at a front, as a stream of bytes that the HTTP server of this thread reads and writes. */
export class FrontSocket extends Duplex {
  readonly remoteAddress: string
  readonly #options: FrontSocketOptions
  #isAttached = false
  #isClosedThere = false
  #isPausedThere = false
  #onWritten: (() => void) | undefined
  #refusal: HandedOverRefusal | undefined

  constructor(options: FrontSocketOptions) {
    super({ allowHalfOpen: true })
    this.#options = options
    this.remoteAddress = options.address
    this.on('error', () => {}) // it closes, too
  }

  /** Bytes of a request. With a refusal, the request is only answered. */
  receive(bytes: Uint8Array, refusal?: HandedOverRefusal): void {
    if (!this.#isAttached) this.#options.attach(this)
    this.#isAttached = true
    this.#refusal = refusal
    if (this.push(bytes) || this.#isPausedThere) return
    this.#isPausedThere = true
    this.#options.send({ pause: this.#options.line })
  }

  takeRefusal(): HandedOverRefusal | undefined {
    const refusal = this.#refusal
    this.#refusal = undefined
    return refusal
  }

  /** The HTTP server has answered a request. If its body was not read as a whole, the rest of it may still arrive. */
  onAnswered(isComplete: boolean): void {
    const { line, send } = this.#options
    if (!this.destroyed) send(isComplete ? { answered: line } : { unclear: line })
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

  /** The connection is closed at its front. */
  onClosed(): void {
    this.#isClosedThere = true
    this.destroy()
  }

  override _read(): void {
    if (!this.#isPausedThere) return
    this.#isPausedThere = false
    this.#options.send({ resume: this.#options.line })
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: () => void): void {
    this.#writeAll([chunk], done)
  }

  override _writev(
    parts: readonly { readonly chunk: Buffer | string; readonly encoding: BufferEncoding }[],
    done: () => void,
  ): void {
    this.#writeAll(
      parts.map(({ chunk, encoding }) => (typeof chunk === 'string' ? Buffer.from(chunk, encoding) : chunk)),
      done,
    )
  }

  override _final(done: () => void): void {
    this.#options.send({ end: this.#options.line })
    done()
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    if (!this.#isClosedThere) this.#options.send({ destroy: this.#options.line })
    this.onWritten()
    done(error)
  }

  #writeAll(chunks: readonly Buffer[], done: () => void): void {
    const chunk = new Uint8Array(Buffer.concat(chunks))
    this.#onWritten = done
    this.#options.send({ write: this.#options.line, chunk }, [chunk.buffer])
  }
}
