import type { FastifyRequest } from 'fastify'

const TRACEPARENT = /^(?!ff)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/

/**
 * The trace that a request belongs to (W3C Trace Context). A program and the instrumentation of its fetch may both name
 * it: then they have to agree. What is not well formed is as good as absent.
 */
export function traceId({ headers }: Pick<FastifyRequest, 'headers'>): string | undefined {
  const { traceparent } = headers
  if (typeof traceparent !== 'string') return undefined
  const [id, ...others] = traceparent.split(', ').map((one) => TRACEPARENT.exec(one)?.[1])
  return others.every((other) => other === id) ? id : undefined
}

/** How log lines name a request, so that it is found again in a trace. */
export function namesOf(request: FastifyRequest): {
  readonly request_id: string
  readonly trace_id?: string
} {
  const trace_id = traceId(request)
  return { request_id: request.id, ...(trace_id !== undefined && { trace_id }) }
}
