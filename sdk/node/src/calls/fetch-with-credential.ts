import { type Connection, checkConfidential } from './request.ts'

/**
 * Calls another service once. The request is repeated only if that service asks for a nonce. A redirect to another origin is
 * followed without the credential, because `fetch` then drops `authorization`.
 */
export async function fetchWithCredential(
  connection: Connection,
  url: string | URL,
  init: RequestInit = {},
): Promise<Response> {
  const address = String(url)
  checkConfidential(new URL(address), connection.allow_http ?? false)
  const method = (init.method ?? 'GET').toUpperCase()
  const attempt = async () =>
    connection.fetch(address, {
      ...init,
      method,
      headers: await headersFor(connection, method, address, init),
    })
  const response = await attempt()
  const isAskedAgain =
    connection.credential.learn(response, address) && !(init.body instanceof ReadableStream)
  if (!isAskedAgain) return response
  await response.body?.cancel()
  return attempt()
}

async function headersFor(
  { credential, tracing }: Connection,
  method: string,
  address: string,
  init: RequestInit,
): Promise<Headers> {
  const headers = new Headers({ ...tracing?.headers() })
  new Headers(init.headers).forEach((value, name) => {
    headers.set(name, value)
  })
  for (const [name, value] of Object.entries(await credential.headers(method, address)))
    headers.set(name, value)
  return headers
}
