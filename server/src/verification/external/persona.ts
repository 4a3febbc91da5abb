/**
 * Persona. Documented (API reference, version 2025-12-08, and guides):
 *
 * - `POST /api/v1/inquiries` with `Authorization: Bearer`, `Persona-Version` and `Idempotency-Key`; attributes
 *   `inquiry-template-id`, `redirect-uri` and `note`; `meta.auto-create-one-time-link` returns `meta.one-time-link`, and
 *   `meta.auto-create-account: false` keeps inquiries of one person apart.
 * - `GET /api/v1/inquiries/{id}` with `include=verifications` and `fields[type]=…`, so that no personal data is returned.
 *   `status` is `created`, `pending`, `completed`, `failed`, `expired`, `needs_review`, `approved` or `declined`; the last
 *   three come from a workflow or from people. Verifications have `status` and `checks` with `name` and `status`.
 * - `DELETE /api/v1/inquiries/{id}` redacts the inquiry and what belongs to it.
 * - Callbacks: `Persona-Signature: t=<seconds>,v1=<hex>`, HMAC-SHA256 of `<t>.<body>`; during a rotation the header
 *   has two such pairs, separated by a space. Events come more than once and out of order.
 * - No one is verified in the sandbox.
 *
 * Not in the documentation, but in public integrations: API keys start with `persona_sandbox_` or `persona_production_`.
 */
import { valueAt } from '@deputize/protocol'
import { callbackDocument, pageAt, requiredText, requireSame, textAt } from './answer-members.ts'
import type { EntryReader } from './entry-reader.ts'
import { failedReasons } from './failed-reasons.ts'
import { headerSecret, rotatedSecrets, testMode } from './key-settings.ts'
import {
  type CallbackEvent,
  type CallbackHeaders,
  type ExternalParts,
  type ExternalProvider,
  type OpenExternal,
  ProviderFailure,
} from './port.ts'
import { callProvider, ignoreUnknown, type ProviderAnswer } from './provider-call.ts'
import { isInWindow, isSigned, onlyHeader, readTimedSignature } from './signature.ts'
import {
  type ExternalDecision,
  type ExternalReason,
  type ExternalStatus,
  externalDecision,
  externalStatus,
} from './verdict.ts'

const PERSONA_VERSION = '2025-12-08'
const INQUIRY = /^inq_[A-Za-z0-9]{1,190}$/
const PERSONA_EVENT = /^evt_[A-Za-z0-9]{1,190}$/
/** Rotation makes two. */
const MAX_PAIRS = 4
/** Only what the decision needs. Names, dates and photos stay with Persona. */
const INQUIRY_QUERY = new URLSearchParams({
  include: 'verifications',
  'fields[inquiry]': 'status',
  'fields[verification/government-id]': 'status,checks',
  'fields[verification/selfie]': 'status,checks',
}).toString()

interface PersonaSettings {
  readonly api_url: string
  readonly api_key: string
  readonly webhook_secrets: readonly string[]
  readonly template_id: string
  /** For templates without a workflow that approves: completing the flow counts as a pass. */
  readonly accepts_completed: boolean
}

export function readPersona(entry: EntryReader): OpenExternal {
  const settings: PersonaSettings = {
    api_url: entry.url('api_url', 'https://api.withpersona.com'),
    api_key: headerSecret(entry, 'api_key_file'),
    webhook_secrets: rotatedSecrets(entry, 'webhook_secret'),
    template_id: entry.text(
      'template_id',
      /^itmpl_[A-Za-z0-9]{1,100}$/,
      'be the ID of an inquiry template (itmpl_…)',
    ),
    accepts_completed: entry.flag('accept_completed'),
  }
  testMode(entry, 'api_key_file', settings.api_key, /^persona_sandbox_/)
  return (parts) => persona(settings, parts)
}

function persona(settings: PersonaSettings, { call, clock }: ExternalParts): ExternalProvider {
  const inquiries = `${settings.api_url}/api/v1/inquiries`
  const headers = {
    authorization: `Bearer ${settings.api_key}`,
    'persona-version': PERSONA_VERSION,
    'key-inflection': 'kebab',
  }

  return {
    async createSession({ session_id, attempt, return_url }) {
      const { body } = await callProvider(call, inquiries, {
        method: 'POST',
        headers: {
          ...headers,
          'content-type': 'application/json',
          'idempotency-key': `${session_id}.${attempt}`,
        },
        body: JSON.stringify(newInquiry(settings.template_id, session_id, return_url)),
      })
      const redirect_url = pageAt(body, '/meta/one-time-link', settings.api_url)
      if (redirect_url === undefined) throw new ProviderFailure('malformed')
      return { external_id: requiredText(body, '/data/id', INQUIRY), redirect_url }
    },

    readCallback: (body, received) => personaEvent(body, received, settings, clock()),

    async fetchDecision(external_id) {
      const answer = await callProvider(call, `${inquiries}/${external_id}?${INQUIRY_QUERY}`, { headers })
      requireSame(answer.body, '/data/id', external_id)
      return personaDecision(answer, settings)
    },

    async redact(external_id) {
      await ignoreUnknown(callProvider(call, `${inquiries}/${external_id}`, { method: 'DELETE', headers }))
    },
  }
}

function newInquiry(template_id: string, session_id: string, return_url: string): unknown {
  return {
    data: {
      attributes: { 'inquiry-template-id': template_id, 'redirect-uri': return_url, note: session_id },
    },
    meta: { 'auto-create-account': false, 'auto-create-one-time-link': true },
  }
}

function personaEvent(
  body: Uint8Array,
  headers: CallbackHeaders,
  { webhook_secrets }: PersonaSettings,
  now_ms: number,
): CallbackEvent | undefined {
  const pairs = (onlyHeader(headers, 'persona-signature') ?? '').split(' ')
  if (pairs.length > MAX_PAIRS || !pairs.some((pair) => isSignedPair(pair, body, webhook_secrets, now_ms)))
    return undefined
  const document = callbackDocument(body)
  const event_id = textAt(document, '/data/id', PERSONA_EVENT)
  // Events about other objects of the account name an ID that no session has.
  const external_id = textAt(document, '/data/attributes/payload/data/id', /^[A-Za-z0-9_-]{1,200}$/)
  return event_id === undefined || external_id === undefined ? undefined : { event_id, external_id }
}

function isSignedPair(pair: string, body: Uint8Array, secrets: readonly string[], now_ms: number): boolean {
  const signed = readTimedSignature(pair)
  if (signed === undefined || !isInWindow(signed.time_s, now_ms)) return false
  return isSigned(secrets, [`${signed.time_s}.`, body], signed.signatures, 'hex')
}

/** `completed` means that the person reached the end of the flow. Whether that is enough is the operator's choice. */
const PERSONA_STATUSES: Readonly<Record<string, ExternalStatus>> = {
  created: 'pending',
  pending: 'pending',
  completed: 'pending',
  failed: 'fail',
  expired: 'expired',
  needs_review: 'review',
  approved: 'pass',
  declined: 'fail',
}

function personaDecision({ raw, body }: ProviderAnswer, settings: PersonaSettings): ExternalDecision {
  const word = valueAt(body, '/data/attributes/status')
  const checks = personaChecks(valueAt(body, '/included'))
  const isEnough = settings.accepts_completed && word === 'completed' && checks.document === true
  const status = isEnough ? 'pass' : externalStatus(word, PERSONA_STATUSES)
  return externalDecision(raw, status, checks, personaReasons(status, checks))
}

/** Returns the checks that verifications report. People may try several times, so one passed verification is enough. */
function personaChecks(included: unknown): ExternalDecision['checks'] {
  const list: readonly unknown[] = Array.isArray(included) ? included : []
  const ofType = (type: string) => list.filter((one) => valueAt(one, '/type') === type)
  const selfies = ofType('verification/selfie')
  const document = outcome(
    ofType('verification/government-id').map((one) => valueAt(one, '/attributes/status')),
  )
  const liveness = outcome(selfies.map((one) => checkStatus(one, 'selfie_liveness_detection')))
  const face_match = outcome(selfies.map((one) => checkStatus(one, 'selfie_id_comparison')))
  return {
    ...(document !== undefined && { document }),
    ...(liveness !== undefined && { liveness }),
    ...(face_match !== undefined && { face_match }),
  }
}

/** Returns the status of a check within a selfie. A passed check within a selfie that didn't pass proves nothing. */
function checkStatus(verification: unknown, name: string): unknown {
  const checks = valueAt(verification, '/attributes/checks')
  const status = Array.isArray(checks)
    ? valueAt(
        checks.find((check) => valueAt(check, '/name') === name),
        '/status',
      )
    : undefined
  const hasPassed = valueAt(verification, '/attributes/status') === 'passed'
  return status === 'passed' && !hasPassed ? undefined : status
}

function outcome(statuses: readonly unknown[]): boolean | undefined {
  if (statuses.includes('passed')) return true
  return statuses.includes('failed') ? false : undefined
}

function personaReasons(
  status: ExternalStatus,
  checks: ExternalDecision['checks'],
): readonly ExternalReason[] {
  if (status === 'expired') return ['abandoned']
  return status === 'fail' ? failedReasons(checks) : []
}
