import type { IncomingMessage } from 'node:http'
import type { ArrivedRequest } from '../arrived-request.ts'

/** A call that the lean path carried out and that was refused. Fastify only answers it. */
export interface HandedOverRefusal {
  readonly error: unknown
  /** The caller, as far as it is known. */
  readonly request: Pick<ArrivedRequest, 'caller' | 'credentials'>
  /** Headers that the answer has so far. */
  readonly headers: Readonly<Record<string, string>>
  readonly started_ms: number
}

const refused = new WeakMap<IncomingMessage, HandedOverRefusal>()

/** Must be called before the request goes to Fastify, so that it is neither counted nor carried out again. */
export function handOverRefusal(request: IncomingMessage, call: HandedOverRefusal): void {
  refused.set(request, call)
}

/** Returns the refusal of a request. Almost every request has none, and Fastify handles it from the start. */
export function handedOverRefusal(request: IncomingMessage): HandedOverRefusal | undefined {
  return refused.get(request)
}
