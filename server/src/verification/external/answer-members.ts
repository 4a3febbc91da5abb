/** Reads answers and callbacks of providers, without trusting that they have the documented form. */
import { createHash } from 'node:crypto'
import { readJson, valueAt } from '@deputize/protocol'
import { ProviderFailure } from './port.ts'

const CALLBACK_LIMITS = { depth: 24, members: 4096, items: 4096 }

/** Returns the document in a callback whose signature was checked, or undefined if it isn't unambiguous JSON. */
export function callbackDocument(body: Uint8Array): unknown {
  try {
    return readJson(body, CALLBACK_LIMITS)
  } catch {
    return undefined
  }
}

/** Returns the text at a place in a document, if it has this form. A number is never taken for an ID. */
export function textAt(document: unknown, pointer: string, form: RegExp): string | undefined {
  const value = valueAt(document, pointer)
  return typeof value === 'string' && form.test(value) ? value : undefined
}

/** Like `textAt`, but throws without a text. For members that the provider documents as always present. */
export function requiredText(document: unknown, pointer: string, form: RegExp): string {
  const text = textAt(document, pointer, form)
  if (text === undefined) throw new ProviderFailure('malformed')
  return text
}

/** Throws if the answer is about a session other than the requested one. */
export function requireSame(document: unknown, pointer: string, external_id: string): void {
  if (valueAt(document, pointer) !== external_id) throw new ProviderFailure('malformed')
}

/** Returns the address of a page for the person: https, or http on the API's host if the API uses http too. */
export function pageAt(document: unknown, pointer: string, api_url: string): string | undefined {
  const url = URL.parse(textAt(document, pointer, /^[\x21-\x7e]{1,4096}$/) ?? '')
  if (url === null || url.username !== '' || url.password !== '') return undefined
  const isHere = url.protocol === 'http:' && api_url.startsWith('http:') && isThisHost(url, api_url)
  return url.protocol === 'https:' || isHere ? url.href : undefined
}

function isThisHost({ hostname }: URL, api_url: string): boolean {
  return hostname === URL.parse(api_url)?.hostname
}

/** Returns an ID for an event whose provider gives it none. */
export function bodyDigest(body: Uint8Array): string {
  return createHash('sha256').update(body).digest('hex')
}
