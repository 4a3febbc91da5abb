import type { Socket } from 'node:net'
import { HEAD_MS, IDLE_MS, SILENCE_MS } from '../connections/connection-times.ts'
import { MOST_PLAIN_BYTES } from '../lean/plain-request.ts'
import { type RequestHead, readRequestHead } from './request-head.ts'

/** Bytes of further requests that are kept while one is under way. */
const MOST_HELD_BYTES = 64 * 1024

const NONE: Buffer = Buffer.alloc(0)

/** How the owner of a connection controls it. */
export interface LineControl {
  /** Writes the whole answer to a call. */
  answer(text: string, isLast: boolean): void
  /** Writes parts of an answer, and calls the owner's `onWritten` when there is room for more. */
  write(parts: readonly AnswerPart[]): void
  /** Called when the request that was passed on is answered, so that the next one may be read. */
  next(): void
  /** Called when the start of the next request becomes unknown. All further bytes are then passed on. */
  becomeUnclear(): void
  /** Reads no more bytes for now. */
  pause(): void
  resume(): void
  /** Closes the connection at once if it is idle, or else after its next answer. */
  leave(): void
  end(): void
  /** Closes the connection once everything was written. */
  finish(): void
  destroy(): void
}

/** The methods without arguments, which another thread can call as well. */
export type LineVerb = Exclude<keyof LineControl, 'answer' | 'write'>

/** A chunk as writable streams get it. */
export interface AnswerPart {
  readonly chunk: Uint8Array | string
  readonly encoding: BufferEncoding
}

/** Decides about the requests of a connection. */
export interface LineOwner {
  /** Takes a request that has arrived completely. Returns false if it isn't a call, so that it is passed on. */
  takeCall(head: RequestHead, request: Buffer): boolean
  /** Gets the first bytes of a request. Unless its end is certain, it also gets all bytes that follow. */
  passRequest(bytes: Buffer, isEndCertain: boolean): void
  passMore(bytes: Buffer): void
  /** Called when there is room for more of an answer. */
  onWritten(): void
  /** Called when the client sends no more. */
  onEnded(): void
  onClosed(): void
}

/**
 * One connection of a client. The owner gets one request at a time; further bytes are kept until its answer was written.
 * After a request whose end is uncertain, the rest of the connection only passes through.
 */
export class FrontLine implements LineControl {
  readonly #socket: Socket
  readonly #owner: LineOwner
  #state: 'idle' | 'busy' | 'unclear' | 'released' = 'idle'
  /** Bytes of the current request that haven't arrived yet. */
  #missing = 0
  #held: Buffer = NONE
  #isReading = false
  #isLeaving = false
  #isPaused = false
  /** True while the socket's timeout isn't the usual one. */
  #isImpatient = true
  #wasIdleForLong = false

  readonly #listeners = {
    data: (bytes: Buffer) => this.#receive(bytes),
    timeout: () => this.#onSilence(),
    end: () => this.#onEnd(),
    error() {}, // 'close' follows
    close: () => this.#owner.onClosed(),
  }

  constructor(socket: Socket, owner: LineOwner) {
    this.#socket = socket
    this.#owner = owner
    socket.setTimeout(HEAD_MS)
    for (const [name, listener] of Object.entries(this.#listeners)) socket.on(name, listener)
  }

  /** Hands the socket to another reader, which gets these bytes again and all that followed them. */
  release(bytes: Buffer): void {
    this.#state = 'released'
    for (const [name, listener] of Object.entries(this.#listeners)) this.#socket.off(name, listener)
    this.#socket.setTimeout(0)
    this.#socket.pause()
    this.#socket.unshift(this.#held.length === 0 ? bytes : Buffer.concat([bytes, this.#held]))
  }

  answer(text: string, isLast: boolean): void {
    if (this.#socket.destroyed) return
    const hasRoom = this.#socket.write(text)
    if (isLast) this.finish()
    else if (hasRoom) this.next()
    else this.#socket.once('drain', () => this.next()) // a client that reads no answers gets no more of them
  }

  write(parts: readonly AnswerPart[]): void {
    let hasRoom = true
    if (parts.length > 1) this.#socket.cork()
    for (const { chunk, encoding } of parts) hasRoom = this.#socket.write(chunk, encoding)
    if (parts.length > 1) this.#socket.uncork()
    if (hasRoom) this.#owner.onWritten()
    else this.#socket.once('drain', () => this.#owner.onWritten())
  }

  next(): void {
    if (this.#state !== 'busy') return
    this.#state = 'idle'
    if (!this.#isReading) this.#readHeld()
  }

  becomeUnclear(): void {
    if (this.#state === 'released') return
    if (this.#isLeaving) return void this.finish() // its next answer was written
    this.#state = 'unclear'
    const held = this.#held
    this.#held = NONE
    if (held.length > 0) this.#owner.passMore(held)
    this.#flow()
  }

  leave(): void {
    this.#isLeaving = true
    if (this.#state === 'idle') this.finish()
  }

  end(): void {
    this.#socket.end()
  }

  finish(): void {
    this.#socket.destroySoon()
  }

  destroy(): void {
    this.#socket.destroy()
  }

  pause(): void {
    this.#isPaused = true
    this.#flow()
  }

  resume(): void {
    this.#isPaused = false
    this.#flow()
  }

  #receive(bytes: Buffer): void {
    if (this.#isImpatient) this.#bePatient()
    if (this.#state === 'unclear') return void this.#owner.passMore(bytes)
    if (this.#state === 'idle') {
      this.#held = bytes
      return void this.#readHeld()
    }
    const own = bytes.subarray(0, this.#missing)
    this.#missing -= own.length
    if (own.length > 0) this.#owner.passMore(own)
    this.#hold(bytes.subarray(own.length))
  }

  /** Reads requests that are answered at once in a loop: there may be thousands, too many for recursion. */
  #readHeld(): void {
    this.#isReading = true
    while (this.#state === 'idle' && this.#held.length > 0 && !this.#isLeaving) {
      const held = this.#held
      this.#held = NONE
      this.#read(held)
    }
    this.#isReading = false
    if (this.#state === 'idle' && this.#isLeaving) this.finish()
    else this.#flow()
  }

  #read(bytes: Buffer): void {
    const head = readRequestHead(bytes)
    if (head === undefined) {
      this.#owner.passRequest(bytes, false)
      return void this.becomeUnclear()
    }
    this.#state = 'busy'
    const end = head.head_bytes + head.body_bytes
    const request = end === bytes.length ? bytes : bytes.subarray(0, end)
    this.#hold(bytes.subarray(end)) // before the request, which may be answered at once
    if (end <= bytes.length && head.body_bytes <= MOST_PLAIN_BYTES && this.#owner.takeCall(head, request))
      return
    this.#missing = Math.max(0, end - bytes.length)
    this.#owner.passRequest(request, true)
  }

  #hold(bytes: Buffer): void {
    if (bytes.length === 0) return
    this.#held = this.#held.length === 0 ? bytes : Buffer.concat([this.#held, bytes])
    this.#flow()
  }

  #flow(): void {
    if (this.#state === 'released') return
    if (this.#isPaused || this.#held.length > MOST_HELD_BYTES) this.#socket.pause()
    else if (this.#socket.isPaused()) this.#socket.resume()
  }

  /** Treats a client that ends the connection while its request is under way as gone, like Node does. */
  #onEnd(): void {
    if (this.#missing > 0) this.becomeUnclear()
    if (this.#state === 'unclear') this.#owner.onEnded()
    else this.finish()
  }

  #bePatient(): void {
    this.#isImpatient = false
    this.#wasIdleForLong = false
    this.#socket.setTimeout(SILENCE_MS)
  }

  #onSilence(): void {
    const isIdle = this.#state === 'idle' && this.#socket.bytesRead > 0
    if (!isIdle || this.#wasIdleForLong) return void this.destroy()
    this.#wasIdleForLong = true
    this.#isImpatient = true
    this.#socket.setTimeout(IDLE_MS - SILENCE_MS)
  }
}
