import { AuthorityError, invalidField } from '@deputize/protocol'

export const FORM_TYPE = 'application/x-www-form-urlencoded'
const MAX_PARAMETERS = 32

/**
 * The parameters of a form. By RFC 6749 one without a value counts as absent, and one that comes twice is an error: two
 * readers would not agree on which of them is meant.
 */
export function readForm(body: Buffer): Record<string, string> {
  const parts = text(body)
    .split('&')
    .filter((part) => part !== '')
  if (parts.length > MAX_PARAMETERS) throw malformed(`A form has at most ${MAX_PARAMETERS} parameters.`)
  const seen = new Map<string, string>()
  for (const part of parts) {
    const equals = part.indexOf('=')
    const name = decoded(equals < 0 ? part : part.slice(0, equals))
    if (seen.has(name)) throw invalidField(`/${name.slice(0, 100)}`, 'must be given once')
    seen.set(name, equals < 0 ? '' : decoded(part.slice(equals + 1)))
  }
  return Object.fromEntries([...seen].filter(([, value]) => value !== ''))
}

function text(body: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(body)
  } catch {
    throw malformed('The form is not UTF-8.')
  }
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part.replaceAll('+', ' '))
  } catch {
    throw malformed('The form is not well encoded.')
  }
}

function malformed(detail: string): AuthorityError {
  return new AuthorityError('invalid_request', detail)
}
