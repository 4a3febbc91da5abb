/**
 * A provider that the operator describes in the file: which addresses create and fetch sessions, where the answer holds
 * each value, and how its callbacks are signed. For providers with a plain JSON API and HMAC-SHA256 callbacks.
 */
import { JSON_POINTER, valueAt } from '@deputize/protocol'
import type { OutboundRequest } from '../../outbound/outbound.ts'
import type { JsonMembers } from '../providers-file.ts'
import { bodyDigest, callbackDocument, pageAt } from './answer-members.ts'
import type { EntryReader } from './entry-reader.ts'
import { headerSecret, rotatedSecrets } from './key-settings.ts'
import {
  type CallbackEvent,
  type CallbackHeaders,
  type ExternalParts,
  type ExternalProvider,
  type NewExternalSession,
  type OpenExternal,
  ProviderFailure,
} from './port.ts'
import { callProvider, ignoreUnknown } from './provider-call.ts'
import { CALLBACK_WINDOW_S, isInWindow, isSigned, type MacEncoding, onlyHeader } from './signature.ts'
import {
  EXTERNAL_CHECKS,
  EXTERNAL_STATUSES,
  type ExternalCheck,
  type ExternalStatus,
  externalDecision,
  externalStatus,
} from './verdict.ts'

interface GenericSettings {
  readonly create_url: string
  readonly create_body: JsonMembers
  readonly fetch_url: string
  readonly redact_url: string | undefined
  readonly redact_method: 'DELETE' | 'POST'
  readonly auth_header: string
  readonly auth: string
  readonly pointers: Readonly<Record<'id' | 'redirect_url' | 'client_token' | 'status', string | undefined>>
  readonly statuses: Readonly<Record<string, ExternalStatus>>
  readonly checks: ReadonlyMap<ExternalCheck, CheckRule>
  readonly callback: CallbackRule
}

/** Where the answer holds a check, and the words that mean it passed. */
interface CheckRule {
  readonly pointer: string
  readonly passed: readonly string[]
}

interface CallbackRule {
  readonly secrets: readonly string[]
  readonly header: string
  readonly prefix: string
  readonly encoding: MacEncoding
  readonly timestamp_header: string | undefined
  readonly tolerance_s: number
  readonly id_pointer: string
  readonly event_pointer: string | undefined
}

const HEADER = /^[a-z0-9-]{1,64}$/
/** Part of a path, so never `.` or `..`. */
const GENERIC_ID = /^(?!\.{1,2}$)[A-Za-z0-9._~:-]{1,200}$/
const ENCODINGS = ['hex', 'base64', 'base64url'] as const
const REDACT_METHODS = ['DELETE', 'POST'] as const

export function readGeneric(entry: EntryReader): OpenExternal {
  const settings: GenericSettings = {
    create_url: entry.url('create_url'),
    create_body: entry.json('create_body'),
    fetch_url: templateUrl(entry, 'fetch_url'),
    redact_url: entry.has('redact_url') ? templateUrl(entry, 'redact_url') : undefined,
    redact_method: entry.oneOf('redact_method', REDACT_METHODS, 'DELETE'),
    auth_header: headerName(entry, 'auth_header', 'authorization'),
    auth: headerSecret(entry, 'auth_file'),
    pointers: {
      id: pointer(entry, 'id_pointer'),
      redirect_url: entry.has('redirect_url_pointer') ? pointer(entry, 'redirect_url_pointer') : undefined,
      client_token: entry.has('client_token_pointer') ? pointer(entry, 'client_token_pointer') : undefined,
      status: pointer(entry, 'status_pointer'),
    },
    statuses: statusMap(entry),
    checks: checkRules(entry),
    callback: callbackRule(entry),
  }
  if (settings.pointers.redirect_url === undefined && settings.pointers.client_token === undefined)
    entry.say('redirect_url_pointer or client_token_pointer is required, so that the person can continue.')
  return (parts) => genericProvider(settings, parts)
}

function callbackRule(entry: EntryReader): CallbackRule {
  return {
    secrets: rotatedSecrets(entry, 'callback_secret'),
    header: headerName(entry, 'signature_header'),
    prefix: entry.text('signature_prefix', /^[\x21-\x7e]{0,32}$/, 'be at most 32 printable characters', ''),
    encoding: entry.oneOf('signature_encoding', ENCODINGS, 'hex'),
    timestamp_header: entry.has('timestamp_header') ? headerName(entry, 'timestamp_header') : undefined,
    tolerance_s: entry.integer('tolerance_s', CALLBACK_WINDOW_S, 1, 3600),
    id_pointer: pointer(entry, 'callback_id_pointer'),
    event_pointer: entry.has('event_id_pointer') ? pointer(entry, 'event_id_pointer') : undefined,
  }
}

function headerName(entry: EntryReader, name: string, otherwise?: string): string {
  return entry.text(name, HEADER, 'be the name of a header in lower case', otherwise)
}

function pointer(entry: EntryReader, name: string): string {
  return entry.text(name, JSON_POINTER, 'be a JSON pointer, such as /data/id')
}

function templateUrl(entry: EntryReader, name: string): string {
  const url = entry.url(name)
  if (url !== '' && !url.includes('{id}')) entry.say(`${name} must contain {id}, the ID at the provider.`)
  return url
}

function statusMap(entry: EntryReader): Readonly<Record<string, ExternalStatus>> {
  const words = Object.entries(entry.texts('statuses'))
  const known = words.flatMap(([word, status]) => {
    const found = EXTERNAL_STATUSES.find((one) => one === status)
    if (found === undefined) entry.say(`statuses.${word} must be one of ${EXTERNAL_STATUSES.join(', ')}.`)
    return found === undefined ? [] : [[word, found] as const]
  })
  if (!known.some(([, status]) => status === 'pass'))
    entry.say('statuses must map at least one word to pass. Otherwise no check can pass.')
  return Object.fromEntries(known)
}

/** `"checks": {"liveness": "/report/liveness=clear|passed"}` */
function checkRules(entry: EntryReader): ReadonlyMap<ExternalCheck, CheckRule> {
  const rules = new Map<ExternalCheck, CheckRule>()
  for (const [name, text] of Object.entries(entry.texts('checks', {}))) {
    const check = EXTERNAL_CHECKS.find((one) => one === name)
    const [path = '', words = ''] = text.split('=')
    if (check === undefined) entry.say(`checks.${name} must be one of ${EXTERNAL_CHECKS.join(', ')}.`)
    else if (!JSON_POINTER.test(path) || words === '')
      entry.say(`checks.${name} must have the form <pointer>=<word>|<word>, such as /report/liveness=clear.`)
    else rules.set(check, { pointer: path, passed: words.split('|') })
  }
  return rules
}

function genericProvider(settings: GenericSettings, { call, clock }: ExternalParts): ExternalProvider {
  const { pointers, redact_url, redact_method } = settings
  const authorization = { [settings.auth_header]: settings.auth }
  const at = (template: string, id: string) => template.replaceAll('{id}', encodeURIComponent(id))
  const ask = (url: string, request: OutboundRequest = {}) =>
    callProvider(call, url, { ...request, headers: { ...authorization, ...request.headers } })

  return {
    async createSession(session) {
      const { body } = await ask(settings.create_url, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          'idempotency-key': `${session.session_id}.${session.attempt}`,
        },
        body: JSON.stringify(filled(settings.create_body, session)),
      })
      const external_id = textAt(body, pointers.id) ?? ''
      const redirect_url =
        pointers.redirect_url === undefined
          ? undefined
          : pageAt(body, pointers.redirect_url, settings.create_url)
      const client_token = textAt(body, pointers.client_token)
      const canGoOn = redirect_url !== undefined || client_token !== undefined
      if (!GENERIC_ID.test(external_id) || !canGoOn) throw new ProviderFailure('malformed')
      return {
        external_id,
        ...(redirect_url !== undefined && { redirect_url }),
        ...(client_token !== undefined && { client_token }),
      }
    },
    readCallback: (body, headers) => readGenericCallback(settings.callback, body, headers, clock()),
    async fetchDecision(external_id) {
      const { raw, body } = await ask(at(settings.fetch_url, external_id))
      // If the answer names a session, it must be the requested one.
      if ((textAt(body, pointers.id) ?? external_id) !== external_id) throw new ProviderFailure('malformed')
      return externalDecision(
        raw,
        externalStatus(textAt(body, pointers.status), settings.statuses),
        checksIn(body, settings.checks),
      )
    },
    ...(redact_url !== undefined && {
      redact: (external_id: string) =>
        ignoreUnknown(ask(at(redact_url, external_id), { method: redact_method })),
    }),
  }
}

function readGenericCallback(
  rule: CallbackRule,
  body: Uint8Array,
  headers: CallbackHeaders,
  now_ms: number,
): CallbackEvent | undefined {
  const given = onlyHeader(headers, rule.header)
  if (given?.startsWith(rule.prefix) !== true) return undefined
  const signed = signedParts(rule, body, headers, now_ms)
  if (signed === undefined) return undefined
  const mac = given.slice(rule.prefix.length)
  if (!isSigned(rule.secrets, signed, [mac], rule.encoding)) return undefined
  const document = callbackDocument(body)
  const external_id = textAt(document, rule.id_pointer) ?? ''
  if (!GENERIC_ID.test(external_id)) return undefined
  const event_id = textAt(document, rule.event_pointer) ?? bodyDigest(body)
  return { event_id, external_id }
}

/** With a time, `<seconds>.<body>` is signed, as for most providers, else the body. Undefined for an old time. */
function signedParts(
  { timestamp_header, tolerance_s }: CallbackRule,
  body: Uint8Array,
  headers: CallbackHeaders,
  now_ms: number,
): readonly (string | Uint8Array)[] | undefined {
  if (timestamp_header === undefined) return [body]
  const time = onlyHeader(headers, timestamp_header) ?? ''
  const isRecent = /^\d{1,12}$/.test(time) && isInWindow(Number(time), now_ms, tolerance_s)
  return isRecent ? [time, '.', body] : undefined
}

/** Returns the template with `{session_id}`, `{human_ref}` and similar placeholders replaced in its texts. */
function filled(template: unknown, session: NewExternalSession): unknown {
  if (typeof template === 'string') return withNames(template, session)
  if (Array.isArray(template)) return template.map((one) => filled(one, session))
  if (typeof template !== 'object' || template === null) return template
  return Object.fromEntries(Object.entries(template).map(([name, value]) => [name, filled(value, session)]))
}

function withNames(text: string, session: NewExternalSession): string {
  const { session_id, human_ref, return_url, callback_url, locale } = session
  const values: Readonly<Record<string, string>> = { session_id, human_ref, return_url, callback_url, locale }
  return text.replaceAll(/\{([a-z_]+)\}/g, (whole, name: string) =>
    Object.hasOwn(values, name) ? (values[name] ?? whole) : whole,
  )
}

/** Returns a text, or a number or boolean as text, because some providers use numbers for IDs and statuses. */
function textAt(document: unknown, path: string | undefined): string | undefined {
  const value = path === undefined ? undefined : valueAt(document, path)
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  return typeof value === 'string' && value !== '' ? value : undefined
}

function checksIn(
  document: unknown,
  rules: GenericSettings['checks'],
): Partial<Record<ExternalCheck, boolean>> {
  return Object.fromEntries(
    [...rules].flatMap(([check, rule]) => {
      const word = textAt(document, rule.pointer)
      return word === undefined ? [] : [[check, rule.passed.includes(word)]]
    }),
  )
}
