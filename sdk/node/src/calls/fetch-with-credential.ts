import { type Connection, checkConfidential } from './request.ts'

/** As many as `fetch` follows. */
const MAX_REDIRECTS = 20
const REDIRECTS = [301, 302, 303, 307, 308]
/** Headers that go with the body. */
const BODY_HEADERS = ['content-encoding', 'content-language', 'content-location', 'content-type']
/** Headers that `fetch` does not send to another origin. */
const ORIGIN_HEADERS = ['authorization', 'cookie', 'proxy-authorization']

interface Addressed {
  readonly address: string
  readonly init: RequestInit
}

/**
 * Calls another service. The request is repeated only if that service asks for a nonce. A redirect to another origin is
 * followed without the credential.
 */
export async function fetchWithCredential(
  connection: Connection,
  url: string | URL,
  init: RequestInit = {},
): Promise<Response> {
  const address = String(url)
  checkConfidential(new URL(address), connection.allow_http ?? false)
  const isFollowed = (init.redirect ?? 'follow') === 'follow'
  // Without a proof, the redirects of `fetch` will do: it drops `authorization` for another origin.
  if (!connection.credential.is_bound || !isFollowed) return fetchOnce(connection, { address, init })
  return fetchFollowing(connection, { address, init: { ...init, redirect: 'manual' } })
}

/** Follows redirects as `fetch` does, with a proof for each address. */
async function fetchFollowing(connection: Connection, first: Addressed): Promise<Response> {
  const { origin } = new URL(first.address)
  let request = first
  for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects += 1) {
    const { address } = request
    const response = await fetchOnce(connection, request)
    if (response.type === 'opaqueredirect')
      throw new TypeError(`${address} redirects, and browsers hide where to. Call the new address directly.`)
    const location = response.headers.get('location')
    if (!REDIRECTS.includes(response.status) || location === null) return response
    await response.body?.cancel()
    const target = new URL(location, address)
    request = redirected(request, target, response.status)
    if (target.origin !== origin) return fetchElsewhere(connection, request)
  }
  throw new TypeError(`${first.address} redirects more than ${MAX_REDIRECTS} times.`)
}

function redirected({ init }: Addressed, target: URL, status: number): Addressed {
  const method = methodOf(init)
  const isRead = method === 'GET' || method === 'HEAD'
  const dropsBody = status === 303 ? !isRead : method === 'POST' && (status === 301 || status === 302)
  if (!dropsBody) return { address: target.href, init }
  const { body: _body, ...rest } = init
  return { address: target.href, init: { ...rest, method: 'GET', headers: without(BODY_HEADERS, init) } }
}

/** Calls another origin without the credential, and lets `fetch` follow redirects from there. */
async function fetchElsewhere(connection: Connection, { address, init }: Addressed): Promise<Response> {
  const headers = withTrace(connection, { headers: without(ORIGIN_HEADERS, init) })
  return connection.fetch(address, { ...init, headers, redirect: 'follow' })
}

async function fetchOnce(connection: Connection, { address, init }: Addressed): Promise<Response> {
  const method = methodOf(init)
  const attempt = async () => {
    const headers = withTrace(connection, init)
    const credentials = await connection.credential.headers(method, address)
    for (const [name, value] of Object.entries(credentials)) headers.set(name, value)
    return connection.fetch(address, { ...init, method, headers })
  }
  const response = await attempt()
  const isAskedAgain =
    connection.credential.learn(response, address) && !(init.body instanceof ReadableStream)
  if (!isAskedAgain) return response
  await response.body?.cancel()
  return attempt()
}

function methodOf({ method = 'GET' }: RequestInit): string {
  return method.toUpperCase()
}

/** Returns the headers of a request with those of the trace, unless it sets them itself. */
function withTrace({ tracing }: Connection, init: RequestInit): Headers {
  const headers = new Headers({ ...tracing?.headers() })
  new Headers(init.headers).forEach((value, name) => {
    headers.set(name, value)
  })
  return headers
}

function without(names: readonly string[], init: RequestInit): Headers {
  const headers = new Headers(init.headers)
  for (const name of names) headers.delete(name)
  return headers
}
