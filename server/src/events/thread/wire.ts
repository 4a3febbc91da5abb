import type { MessagePort, Worker } from 'node:worker_threads'

/** The end of a channel between two threads, or between two parts of one. */
export type WirePort = MessagePort | Worker

/** What one end sends: messages without an answer, and named questions. */
export interface WireTraffic {
  readonly tells: unknown
  readonly asks: Readonly<Record<string, { readonly question: unknown; readonly answer: unknown }>>
}

/** Handles what the other end sends. */
export interface WireHandler<Received extends WireTraffic> {
  onTell(message: Received['tells']): void
  readonly answers: {
    readonly [Name in keyof Received['asks']]: (
      question: Received['asks'][Name]['question'],
    ) => Promise<Received['asks'][Name]['answer']>
  }
}

type Packet =
  | { readonly kind: 'tell'; readonly message: unknown }
  | AskPacket
  | { readonly kind: 'answer'; readonly request: number; readonly value: unknown }
  | { readonly kind: 'failure'; readonly request: number; readonly failure: string }

interface AskPacket {
  readonly kind: 'ask'
  readonly request: number
  readonly name: string
  readonly question: unknown
}

/**
 * One end of a connection. Each end can tell and ask the other. A failed question rejects with the text of the failure.
 */
export class Wire<Sent extends WireTraffic, Received extends WireTraffic> {
  readonly #port: WirePort
  readonly #handler: WireHandler<Received>
  readonly #asked = new Map<number, PromiseWithResolvers<unknown>>()
  #last = 0
  #ended: Error | undefined

  constructor(port: WirePort, handler: WireHandler<Received>) {
    this.#port = port
    this.#handler = handler
    port.on('message', (packet: Packet) => this.#receive(packet))
  }

  tell(message: Sent['tells']): void {
    if (this.#ended === undefined) this.#send({ kind: 'tell', message })
  }

  ask<Name extends keyof Sent['asks'] & string>(
    name: Name,
    question: Sent['asks'][Name]['question'],
  ): Promise<Sent['asks'][Name]['answer']> {
    if (this.#ended !== undefined) return Promise.reject(this.#ended)
    this.#last += 1
    const asked = Promise.withResolvers<unknown>()
    this.#asked.set(this.#last, asked)
    this.#send({ kind: 'ask', request: this.#last, name, question })
    return asked.promise // the other end answers each question with the type of its name
  }

  /** Ends the connection: nothing more is sent, and open questions are rejected. */
  end(cause: Error): void {
    this.#ended ??= cause
    for (const { reject } of this.#asked.values()) reject(cause)
    this.#asked.clear()
  }

  #receive(packet: Packet): void {
    if (this.#ended !== undefined) return
    switch (packet.kind) {
      case 'tell':
        this.#handler.onTell(packet.message)
        break
      case 'ask':
        void this.#answer(packet)
        break
      case 'answer':
        this.#taken(packet.request)?.resolve(packet.value)
        break
      case 'failure':
        this.#taken(packet.request)?.reject(new Error(packet.failure))
        break
      default:
        packet satisfies never
    }
  }

  #taken(request: number): PromiseWithResolvers<unknown> | undefined {
    const asked = this.#asked.get(request)
    this.#asked.delete(request)
    return asked
  }

  async #answer({ request, name, question }: AskPacket): Promise<void> {
    const packet = await this.#valueOf(name, question).then(
      (value): Packet => ({ kind: 'answer', request, value }),
      (cause): Packet => ({ kind: 'failure', request, failure: String(cause) }),
    )
    if (this.#ended === undefined) this.#send(packet)
  }

  #send(packet: Packet): void {
    this.#port.postMessage(packet)
  }

  async #valueOf(name: string, question: unknown): Promise<unknown> {
    return this.#handler.answers[name]?.(question)
  }
}
