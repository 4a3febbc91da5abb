import type { LeanRequest, RequestSocket } from '../arrived-request.ts'
import type { HandedOverRefusal } from '../connections/handed-over.ts'
import type { LeanExchange } from '../lean/lean-path.ts'
import { answerText } from './answer-text.ts'
import type { LineControl } from './front-line.ts'
import { type RequestNames, requestBytes } from './request-head.ts'

/** The connection of a call. */
export interface CallSource {
  readonly socket: RequestSocket
  readonly line: Pick<LineControl, 'answer'>
  /** Counts the connection as busy until the returned function is called. */
  begin(): () => void
  /** Makes the HTTP server read the bytes of a request. With a refusal, it only answers. */
  receive(bytes: Buffer, refusal?: HandedOverRefusal): void
}

/** A call that a front has read. */
export class LineCall implements LeanExchange {
  readonly request: LeanRequest
  readonly #head: RequestNames
  readonly #body: Buffer
  readonly #source: CallSource
  readonly #end: () => void

  constructor(head: RequestNames, body: Buffer, source: CallSource) {
    const { method, url, headers, raw_headers } = head
    this.request = { method, url, headers, rawHeaders: raw_headers, socket: source.socket }
    this.#head = head
    this.#body = body
    this.#source = source
    this.#end = source.begin()
  }

  send(status: number, headers: Record<string, string>, text: string): void {
    this.#end()
    this.#source.line.answer(answerText(status, headers, text), headers.connection === 'close')
  }

  passOn(): void {
    this.#pass()
  }

  passRefusal(refusal: HandedOverRefusal): void {
    this.#pass(refusal)
  }

  #pass(refusal?: HandedOverRefusal): void {
    this.#end()
    if (!this.#source.socket.destroyed) this.#source.receive(requestBytes(this.#head, this.#body), refusal)
  }
}
