import type { MessagePort, Worker } from 'node:worker_threads'

/** The end of a channel between two threads, or between two parts of one. */
export type WirePort = MessagePort | Worker

/** What one end sends: messages without an answer, and questions by name. */
export interface WireTraffic {
  readonly tells: unknown
  readonly asks: Readonly<Record<string, { readonly question: unknown; readonly answer: unknown }>>
}

/** What one end does with what the other sends. */
export interface WireHandler<Received extends WireTraffic> {
  onTell(message: Received['tells']): void
  readonly answers: {
    readonly [Name in keyof Received['asks']]: (
      question: Received['asks'][Name]['question'],
    ) => Promise<Received['asks'][Name]['answer']>
  }
}

type Packet =
  | { readonly tell: unknown }
  | { readonly ask: number; readonly name: string; readonly question: unknown }
  | { readonly answer: number; readonly value: unknown }
  | { readonly answer: number; readonly failure: string }

/** One end of a connection. Each end tells and asks the other. A question that fails rejects with the text of the failure. */
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
    if (this.#ended === undefined) this.#port.postMessage({ tell: message } satisfies Packet)
  }

  ask<Name extends keyof Sent['asks'] & string>(
    name: Name,
    question: Sent['asks'][Name]['question'],
  ): Promise<Sent['asks'][Name]['answer']> {
    if (this.#ended !== undefined) return Promise.reject(this.#ended)
    this.#last += 1
    const asked = Promise.withResolvers<unknown>()
    this.#asked.set(this.#last, asked)
    this.#port.postMessage({ ask: this.#last, name, question } satisfies Packet)
    return asked.promise // the other end answers each name with the answer of that name
  }

  /** Nothing more is sent, and no answer comes any more. */
  end(cause: Error): void {
    this.#ended ??= cause
    for (const { reject } of this.#asked.values()) reject(cause)
    this.#asked.clear()
  }

  #receive(packet: Packet): void {
    if (this.#ended !== undefined) return
    if ('tell' in packet) this.#handler.onTell(packet.tell)
    else if ('ask' in packet) void this.#answer(packet)
    else this.#takeAnswer(packet)
  }

  #takeAnswer(packet: Extract<Packet, { answer: number }>): void {
    const asked = this.#asked.get(packet.answer)
    this.#asked.delete(packet.answer)
    if ('failure' in packet) asked?.reject(new Error(packet.failure))
    else asked?.resolve(packet.value)
  }

  async #answer({ ask, name, question }: Extract<Packet, { ask: number }>): Promise<void> {
    const packet: Packet = await this.#valueOf(name, question).then(
      (value) => ({ answer: ask, value }),
      (cause) => ({ answer: ask, failure: String(cause) }),
    )
    if (this.#ended === undefined) this.#port.postMessage(packet)
  }

  async #valueOf(name: string, question: unknown): Promise<unknown> {
    return this.#handler.answers[name]?.(question)
  }
}
