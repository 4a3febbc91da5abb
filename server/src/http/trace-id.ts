import type { FastifyRequest } from 'fastify'

const TRACEPARENT = /^(?!ff)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/

/**
 * Returns the trace that a request belongs to (W3C Trace Context). A program and its instrumented fetch may both send
 * the header; then both must name the same trace. A malformed header is ignored.
 */
export function traceId({ headers }: Pick<FastifyRequest, 'headers'>): string | undefined {
  const { traceparent } = headers
  if (typeof traceparent !== 'string') return undefined
  const [id, ...others] = traceparent.split(', ').map((one) => TRACEPARENT.exec(one)?.[1])
  return others.every((other) => other === id) ? id : undefined
}

/** Returns the ids that log lines give for a request. */
export function namesOf(request: Pick<FastifyRequest, 'id' | 'headers'>): {
  readonly request_id: string
  readonly trace_id?: string
} {
  const trace_id = traceId(request)
  return { request_id: request.id, ...(trace_id !== undefined && { trace_id }) }
}
