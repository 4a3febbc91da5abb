/**
 * Stripe Identity. Documented (API reference and guides; the types and the webhook code of the package `stripe` 23.1.0):
 *
 * - `POST /v1/identity/verification_sessions` with a form body, `Authorization: Bearer`, `Stripe-Version` and
 *   `Idempotency-Key`. The answer has `id`, `url` (48 hours, single use) and `client_secret` (24 hours, single use).
 * - `GET …/{id}`: `status` is `requires_input`, `processing`, `verified` or `canceled`. A failed check returns the session to
 *   `requires_input` with `last_error.code`; a new session has that status without an error. `verified` means that every
 *   requested check succeeded. Personal data is returned only if it is expanded, which is never requested here.
 * - `POST …/{id}/redact` in `requires_input` or `verified`; the session's `redaction` is then not null.
 * - `livemode` is false for test keys, which verify no one.
 * - Callbacks: `Stripe-Signature: t=<seconds>,v1=<hex>[,v1=<hex>]`, HMAC-SHA256 of `<t>.<body>`; one `v1` for each secret
 *   during a rotation; the tolerance is five minutes.
 *
 * Stripe compares a selfie with the photo of the document. It documents no liveness check of its own, so none is reported.
 * Whether a cancelled session can be redacted is not documented.
 */
import { valueAt } from '@deputize/protocol'
import { callbackDocument, pageAt, requiredText, requireSame, textAt } from './answer-members.ts'
import type { EntryReader } from './entry-reader.ts'
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
  type ExternalCheck,
  type ExternalDecision,
  type ExternalReason,
  type ExternalStatus,
  externalDecision,
  externalStatus,
} from './verdict.ts'

const STRIPE_VERSION = '2026-10-28.endive'
const STRIPE_SESSION = /^vs_[A-Za-z0-9_]{1,190}$/
const STRIPE_EVENT = /^evt_[A-Za-z0-9_]{1,190}$/
const STRIPE_SECRET_KEY = /^(?:sk|rk)_(?:live|test)_[A-Za-z0-9_]{1,500}$/
const CLIENT_SECRET = /^[A-Za-z0-9_-]{1,500}$/

interface StripeSettings {
  readonly api_url: string
  readonly api_key: string
  readonly webhook_secrets: readonly string[]
  readonly is_test: boolean
}

export function readStripe(entry: EntryReader): OpenExternal {
  const api_key = headerSecret(entry, 'api_key_file')
  if (api_key !== '' && !STRIPE_SECRET_KEY.test(api_key))
    entry.say('api_key_file must hold a secret key (sk_…) or a restricted key (rk_…).')
  const settings: StripeSettings = {
    api_url: entry.url('api_url', 'https://api.stripe.com'),
    api_key,
    webhook_secrets: rotatedSecrets(entry, 'webhook_secret'),
    is_test: testMode(entry, 'api_key_file', api_key, /^.._test_/),
  }
  return (parts) => stripe(settings, parts)
}

function stripe(settings: StripeSettings, { call, clock }: ExternalParts): ExternalProvider {
  const sessions = `${settings.api_url}/v1/identity/verification_sessions`
  const headers = { authorization: `Bearer ${settings.api_key}`, 'stripe-version': STRIPE_VERSION }
  const get = (external_id: string) => callProvider(call, `${sessions}/${external_id}`, { headers })
  const post = (
    url: string,
    form: Readonly<Record<string, string>>,
    more: Readonly<Record<string, string>> = {},
  ) =>
    callProvider(call, url, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/x-www-form-urlencoded', ...more },
      body: new URLSearchParams(form).toString(),
    })

  return {
    async createSession({ session_id, attempt, return_url }) {
      const form = {
        type: 'document',
        'options[document][require_matching_selfie]': 'true',
        'options[document][require_live_capture]': 'true',
        client_reference_id: session_id,
        'metadata[deputy_session]': session_id,
        return_url,
      }
      const { body } = await post(sessions, form, { 'idempotency-key': `${session_id}.${attempt}` })
      const redirect_url = pageAt(body, '/url', settings.api_url)
      if (redirect_url === undefined) throw new ProviderFailure('malformed')
      return {
        external_id: requiredText(body, '/id', STRIPE_SESSION),
        redirect_url,
        client_token: requiredText(body, '/client_secret', CLIENT_SECRET),
      }
    },

    readCallback: (body, received) => stripeEvent(body, received, settings, clock()),

    async fetchDecision(external_id) {
      const answer = await get(external_id)
      requireSame(answer.body, '/id', external_id)
      // A session of the other mode proves nothing here, whatever it says.
      if (answer.body.livemode !== !settings.is_test) throw new ProviderFailure('malformed')
      return stripeDecision(answer)
    },

    async redact(external_id) {
      await ignoreUnknown(
        post(`${sessions}/${external_id}/redact`, {}).catch(async (failure: unknown) => {
          // A second redaction is refused. Nothing is left to do once the first one has begun.
          const { redaction } = (await get(external_id)).body
          if (redaction === null || redaction === undefined) throw failure
        }),
      )
    },
  }
}

function stripeEvent(
  body: Uint8Array,
  headers: CallbackHeaders,
  { webhook_secrets }: StripeSettings,
  now_ms: number,
): CallbackEvent | undefined {
  const signed = readTimedSignature(onlyHeader(headers, 'stripe-signature') ?? '')
  if (signed === undefined || !isInWindow(signed.time_s, now_ms)) return undefined
  const { time_s, signatures } = signed
  if (!isSigned(webhook_secrets, [`${time_s}.`, body], signatures, 'hex')) return undefined
  const document = callbackDocument(body)
  const event_id = textAt(document, '/id', STRIPE_EVENT)
  // Events about other objects of the account name an ID that no session has.
  const external_id = textAt(document, '/data/object/id', /^[A-Za-z0-9_]{1,200}$/)
  return event_id === undefined || external_id === undefined ? undefined : { event_id, external_id }
}

const STRIPE_STATUSES: Readonly<Record<string, ExternalStatus>> = {
  requires_input: 'pending',
  processing: 'pending',
  verified: 'pass',
  canceled: 'withdrawn',
}

interface StripeFailure {
  readonly status: ExternalStatus
  readonly reason: ExternalReason
  /** The check that the error is about. */
  readonly failed?: ExternalCheck
}

/** What each `last_error.code` means. `retry` if a better picture or another document may help. */
const STRIPE_ERRORS: Readonly<Record<string, StripeFailure>> = {
  abandoned: { status: 'retry', reason: 'abandoned' },
  consent_declined: { status: 'fail', reason: 'consent_declined' },
  country_not_supported: { status: 'fail', reason: 'unsupported' },
  device_not_supported: { status: 'retry', reason: 'unsupported' },
  document_expired: { status: 'retry', reason: 'document_expired', failed: 'document' },
  document_type_not_supported: { status: 'retry', reason: 'document_type', failed: 'document' },
  document_unverified_other: { status: 'retry', reason: 'document_unverified', failed: 'document' },
  id_number_insufficient_document_data: {
    status: 'retry',
    reason: 'document_unverified',
    failed: 'database',
  },
  id_number_mismatch: { status: 'fail', reason: 'data_mismatch', failed: 'database' },
  id_number_unverified_other: { status: 'fail', reason: 'data_mismatch', failed: 'database' },
  selfie_document_missing_photo: { status: 'retry', reason: 'document_type', failed: 'face_match' },
  selfie_face_mismatch: { status: 'fail', reason: 'face_mismatch', failed: 'face_match' },
  selfie_manipulated: { status: 'fail', reason: 'fraud_suspected', failed: 'face_match' },
  selfie_unverified_other: { status: 'retry', reason: 'selfie_unverified', failed: 'face_match' },
  under_supported_age: { status: 'fail', reason: 'under_age' },
}

/** An error that the documentation doesn't name is for people to review. */
const UNKNOWN_STRIPE_ERROR: StripeFailure = { status: 'review', reason: 'other' }

function stripeDecision({ raw, body }: ProviderAnswer): ExternalDecision {
  const { status: word, last_error } = body
  if (word === 'requires_input' && last_error !== null && last_error !== undefined) {
    const { status, reason, failed } = stripeFailure(valueAt(body, '/last_error/code'))
    return externalDecision(raw, status, failed === undefined ? {} : { [failed]: false }, [reason])
  }
  const status = externalStatus(word, STRIPE_STATUSES)
  return externalDecision(raw, status, status === 'pass' ? passedChecks(body) : {})
}

function stripeFailure(code: unknown): StripeFailure {
  const isKnown = typeof code === 'string' && Object.hasOwn(STRIPE_ERRORS, code)
  return (isKnown ? STRIPE_ERRORS[code] : undefined) ?? UNKNOWN_STRIPE_ERROR
}

/** Returns the checks that a verified session passed, which are those it says it was created with. */
function passedChecks(body: ProviderAnswer['body']): ExternalDecision['checks'] {
  const hasSelfie = valueAt(body, '/options/document/require_matching_selfie') === true
  return { ...(body.type === 'document' && { document: true }), ...(hasSelfie && { face_match: true }) }
}
