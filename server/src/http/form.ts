import { AuthorityError, invalidField } from '@deputize/protocol'

export const FORM_TYPE = 'application/x-www-form-urlencoded'
const MAX_PARAMETERS = 32

/**
 * Returns the parameters of a form. By RFC 6749 a parameter without a value counts as absent, and a repeated one is an
 * error, because implementations disagree on which of them counts.
 */
export function readForm(body: Buffer): Record<string, string> {
  const parts = text(body)
    .split('&')
    .filter((part) => part !== '')
  if (parts.length > MAX_PARAMETERS)
    throw malformed(`The form has too many parameters. At most ${MAX_PARAMETERS} are allowed.`)
  const seen = new Map<string, string>()
  for (const part of parts) {
    const equals = part.indexOf('=')
    const name = decoded(equals < 0 ? part : part.slice(0, equals))
    if (seen.has(name)) throw invalidField(`/${name.slice(0, 100)}`, 'must not be repeated')
    seen.set(name, equals < 0 ? '' : decoded(part.slice(equals + 1)))
  }
  return Object.fromEntries([...seen].filter(([, value]) => value !== ''))
}

function text(body: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(body)
  } catch {
    throw malformed('The form is not valid UTF-8.')
  }
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part.replaceAll('+', ' '))
  } catch {
    throw malformed('The form has an invalid percent-encoding.')
  }
}

function malformed(detail: string): AuthorityError {
  return new AuthorityError('invalid_request', detail)
}
