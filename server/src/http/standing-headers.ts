import type { OperationContext } from '../operations/operation-context.ts'

/** One year. Browsers then refuse to reach this host over plain http, where a session could be taken. */
const HSTS = 'max-age=31536000'

/** The headers of every answer, including those to malformed addresses. */
export function namingHeaders(request_id: string): Record<string, string> {
  return { 'x-request-id': request_id, 'x-content-type-options': 'nosniff' }
}

/** Adds the headers that depend on where the service is reached and on whether it stops. */
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
