const TARGET = /^(https?):\/\/([^/?#@]*)([^?#]*)/i
const AUTHORITY = /^(\[[0-9a-f:.]+\]|(?:[a-z0-9\-._~!$&'()*+,;=]|%[0-9a-f]{2})+)(?::([0-9]*))?$/i
const PATH = /^(?:\/(?:[a-z0-9\-._~!$&'()*+,;=:@]|%[0-9a-f]{2})*)*$/i
const DEFAULT_PORTS: Readonly<Record<string, number>> = { http: 80, https: 443 }

/**
 * The normal form of an http(s) URI without query and fragment, according to RFC 3986 sections 6.2.2 and 6.2.3: case,
 * percent encoding, dot segments, default port, empty path. Undefined for any other URI, and for one with user
 * information.
 */
export function normalisedTarget(uri: string): string | undefined {
  const [, scheme, authority, path] = TARGET.exec(uri) ?? []
  if (scheme === undefined || authority === undefined || path === undefined) return undefined
  const [, host, port] = AUTHORITY.exec(authority) ?? []
  // User information would have ended the authority early, so that its @ is in what is taken for the path.
  if (host === undefined || !PATH.test(path)) return undefined
  const kind = scheme.toLowerCase()
  return `${kind}://${plainPercents(host).toLowerCase()}${plainPort(kind, port)}${withoutDots(plainPercents(path))}`
}

/** Decodes characters that need no encoding, and writes the digits of the others in upper case. */
function plainPercents(text: string): string {
  return text.replace(/%[0-9a-f]{2}/gi, (encoded) => {
    const character = String.fromCharCode(Number.parseInt(encoded.slice(1), 16))
    return /[a-z0-9\-._~]/i.test(character) ? character : encoded.toUpperCase()
  })
}

function plainPort(scheme: string, port: string | undefined): string {
  if (port === undefined || port === '' || Number(port) === DEFAULT_PORTS[scheme]) return ''
  return `:${BigInt(port)}`
}

/** RFC 3986 section 5.2.4, for a path that is empty or begins with a slash. */
function withoutDots(path: string): string {
  const kept: string[] = []
  const segments = path.split('/').slice(1)
  for (const segment of segments) {
    if (segment === '..') kept.pop()
    else if (segment !== '.') kept.push(segment)
  }
  const last = segments.at(-1)
  if (last === '.' || last === '..') kept.push('')
  return `/${kept.join('/')}`
}
