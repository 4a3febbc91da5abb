import type { Socket } from 'node:net'
import { readRequestHead } from './request-head.ts'
import type { FromFront, WiredCall } from './wire.ts'

/** A new connection must send its first bytes in this time. */
const FIRST_BYTES_MS = 10_000
/** A connection on which nothing moves is closed: its client does not read. */
const SILENCE_MS = 60_000
/** An idle connection is kept for longer: together longer than load balancers keep one. */
const LONGER_IDLE_MS = 12_000
/** A longer body is sent as bytes. */
const MOST_BODY_BYTES = 16 * 1024
/** Bytes of further requests that are kept while one is under way. */
const MOST_HELD_BYTES = 64 * 1024

/** What a connection needs of its front. */
export interface LineOptions {
  readonly id: number
  readonly socket: Socket
  isCall(method: string, url: string): boolean
  sendCall(call: WiredCall): void
  send(message: FromFront, transfer?: readonly ArrayBuffer[]): void
  onClose(): void
}

/**
 * One connection of a client. One request at a time goes to the thread that decides. What follows is kept until its answer
 * was written. A request whose end is not certain makes the rest of the connection bytes that only pass through.
 */
export class FrontLine {
  readonly #options: LineOptions
  readonly #socket: Socket
  #state: 'idle' | 'busy' | 'unclear' = 'idle'
  /** Bytes of the present request that have not arrived. */
  #missing = 0
  #held: Buffer = Buffer.alloc(0)
  #hasEnded = false
  #isLeaving = false
  #isPaused = false
  #wasIdleForLong = false

  constructor(options: LineOptions) {
    this.#options = options
    const { socket } = options
    this.#socket = socket
    socket.setTimeout(FIRST_BYTES_MS)
    socket.once('data', () => socket.setTimeout(SILENCE_MS))
    socket.on('data', (bytes) => this.#receive(bytes))
    socket.on('timeout', () => this.#onSilence())
    socket.on('end', () => this.#onEnd())
    socket.on('error', () => {}) // it closes, too
    socket.once('close', () => options.onClose())
  }

  /** Writes the whole answer to a call. */
  answer(text: string, isLast: boolean): void {
    const hasRoom = this.#socket.write(text)
    if (isLast) this.#socket.destroySoon()
    else if (hasRoom) this.next()
    else this.#socket.once('drain', () => this.next()) // a client that reads no answers gets no more of them
  }

  write(chunk: Uint8Array): void {
    const { id, send } = this.#options
    this.#socket.write(chunk, () => send({ written: id }))
  }

  /** The present request was answered. */
  next(): void {
    if (this.#state !== 'busy') return
    this.#state = 'idle'
    if (this.#isLeaving) return void this.end()
    const held = this.#held
    this.#held = Buffer.alloc(0)
    if (held.length > 0) this.#read(held)
    else if (this.#hasEnded) this.end()
    this.#flow()
  }

  /** From now on all bytes pass through. */
  becomeUnclear(): void {
    this.#state = 'unclear'
    const held = this.#held
    this.#held = Buffer.alloc(0)
    if (held.length > 0) this.#pass(held)
    if (this.#hasEnded) this.#options.send({ ended: this.#options.id })
    this.#flow()
  }

  leave(): void {
    this.#isLeaving = true
    if (this.#state === 'idle') this.end()
  }

  end(): void {
    this.#socket.end()
  }

  destroy(): void {
    this.#socket.destroy()
  }

  setPaused(isPaused: boolean): void {
    this.#isPaused = isPaused
    this.#flow()
  }

  #receive(bytes: Buffer): void {
    if (this.#wasIdleForLong) this.#socket.setTimeout(SILENCE_MS)
    this.#wasIdleForLong = false
    if (this.#state === 'unclear') return void this.#pass(bytes)
    if (this.#state === 'idle') return void this.#read(bytes)
    const own = bytes.subarray(0, this.#missing)
    this.#missing -= own.length
    if (own.length > 0) this.#pass(own)
    this.#hold(bytes.subarray(own.length))
  }

  #read(bytes: Buffer): void {
    const { id, isCall, sendCall } = this.#options
    const head = readRequestHead(bytes)
    if (head === undefined) {
      this.#state = 'unclear'
      return void this.#pass(bytes)
    }
    this.#state = 'busy'
    const { method, url, raw_headers, head_bytes, body_bytes, has_repeated } = head
    const end = head_bytes + body_bytes
    if (end <= bytes.length && body_bytes <= MOST_BODY_BYTES && !has_repeated && isCall(method, url))
      sendCall([id, method, url, raw_headers, bytes.toString('latin1', head_bytes, end)])
    else {
      this.#missing = Math.max(0, end - bytes.length)
      this.#pass(bytes.subarray(0, end))
    }
    this.#hold(bytes.subarray(end))
  }

  #hold(bytes: Buffer): void {
    if (bytes.length === 0) return
    this.#held = Buffer.concat([this.#held, bytes])
    this.#flow()
  }

  #pass(bytes: Buffer): void {
    const chunk = new Uint8Array(bytes) // a copy of its own: a message would carry the whole buffer that a part lies in
    this.#options.send({ bytes: this.#options.id, chunk }, [chunk.buffer])
  }

  #flow(): void {
    if (this.#isPaused || this.#held.length > MOST_HELD_BYTES) this.#socket.pause()
    else if (this.#socket.isPaused()) this.#socket.resume()
  }

  /** The client sends no more. What it has sent is answered. */
  #onEnd(): void {
    this.#hasEnded = true
    if (this.#state === 'idle') this.end()
    else if (this.#state === 'unclear') this.#options.send({ ended: this.#options.id })
    else if (this.#missing > 0) this.becomeUnclear()
  }

  #onSilence(): void {
    const isIdle = this.#state === 'idle' && this.#socket.bytesRead > 0
    if (!isIdle || this.#wasIdleForLong) return void this.destroy()
    this.#wasIdleForLong = true
    this.#socket.setTimeout(LONGER_IDLE_MS)
  }
}
