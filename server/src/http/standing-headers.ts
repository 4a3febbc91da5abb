import type { OperationContext } from '../operations/operation-context.ts'

/** One year. Browsers then refuse to reach this host over plain http, where a session could be taken. */
const HSTS = 'max-age=31536000'

/** Returns the headers of every answer, including answers to malformed URLs. */
export function namingHeaders(request_id: string): Record<string, string> {
  return { 'x-request-id': request_id, 'x-content-type-options': 'nosniff' }
}

/** Adds headers that depend on the public URL and on whether the service is shutting down. */
export function standingHeaders({
  public_url,
  node: { isShuttingDown },
}: Pick<OperationContext, 'public_url' | 'node'>): (request_id: string) => Record<string, string> {
  const isSecure = public_url().startsWith('https:')
  return (request_id) => {
    const headers = namingHeaders(request_id)
    if (isSecure) headers['strict-transport-security'] = HSTS
    if (isShuttingDown()) headers.connection = 'close'
    return headers
  }
}
