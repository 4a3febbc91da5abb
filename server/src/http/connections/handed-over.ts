import type { IncomingMessage } from 'node:http'
import type { ArrivedRequest } from '../arrived-request.ts'

/** A call that the lean path has made and that was refused: Fastify only answers it. */
export interface HandedOverRefusal {
  readonly error: unknown
  /** Who called, as far as that was found out. */
  readonly request: Pick<ArrivedRequest, 'caller' | 'credentials'>
  /** Headers that the answer has by now. */
  readonly headers: Readonly<Record<string, string>>
  readonly started_ms: number
}

const refused = new WeakMap<IncomingMessage, HandedOverRefusal>()

/** Call before the request goes to Fastify, so that it is neither counted nor carried out again. */
export function handOverRefusal(request: IncomingMessage, call: HandedOverRefusal): void {
  refused.set(request, call)
}

/** Undefined for almost every request: Fastify handles it from the beginning. */
export function handedOverRefusal(request: IncomingMessage): HandedOverRefusal | undefined {
  return refused.get(request)
}
