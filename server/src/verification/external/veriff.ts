/**
 * Veriff, Public API v1. Documented (API reference and guides):
 *
 * - `X-AUTH-CLIENT: <API key>`. `GET` and `DELETE` also need `X-HMAC-SIGNATURE`, hex HMAC-SHA256 of the session ID with the
 *   shared secret key. `POST /v1/sessions` needs no signature.
 * - `POST /v1/sessions` with `verification.callback`, where the person's browser returns to, and `verification.vendorData`,
 *   which is returned unchanged. The answer has `verification.id` and `verification.url`.
 * - `GET /v1/sessions/{id}/decision`: `verification` is null until there is a decision. `status` and `code` are `approved`
 *   9001, `declined` 9102, `resubmission_requested` 9103, `expired` or `abandoned` 9104, `review` 9121. One page of the
 *   documentation gives `abandoned` the code 9121, so the word decides, and only an approval must have its code.
 *   `reasonCode` is why a session was declined or must be resubmitted.
 * - `DELETE /v1/sessions/{id}`, which Veriff enables on request.
 * - Callbacks: `X-HMAC-SIGNATURE`, hex HMAC-SHA256 of the body with the shared secret key. They have no time and no ID. A
 *   decision names its session in `verification.id`, an event in `id`. Several secret keys can be active.
 *
 * No idempotency key is documented. `verification.insights` is seen in callbacks, and not in the documentation of the
 * decision: if present, it can turn an approval into a review, but never the reverse. The base URL of an integration is
 * in the Customer Portal; the default here is that of most public integrations.
 */
import { createHmac } from 'node:crypto'
import { valueAt } from '@deputize/protocol'
import { bodyDigest, callbackDocument, pageAt, requiredText, requireSame, textAt } from './answer-members.ts'
import type { EntryReader } from './entry-reader.ts'
import { headerSecret, rotatedSecrets } from './key-settings.ts'
import {
  type CallbackEvent,
  type CallbackHeaders,
  type ExternalParts,
  type ExternalProvider,
  type OpenExternal,
  ProviderFailure,
} from './port.ts'
import { callProvider, ignoreUnknown, type ProviderAnswer } from './provider-call.ts'
import { isSigned, onlyHeader } from './signature.ts'
import {
  type ExternalCheck,
  type ExternalDecision,
  type ExternalReason,
  type ExternalStatus,
  externalDecision,
  externalStatus,
} from './verdict.ts'

const VERIFF_UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
const APPROVED = 9001

interface VeriffSettings {
  readonly api_url: string
  readonly api_key: string
  /** The first one signs. Callbacks may be signed with any. */
  readonly shared_secrets: readonly [string, ...string[]]
}

export function readVeriff(entry: EntryReader): OpenExternal {
  const settings: VeriffSettings = {
    api_url: entry.url('api_url', 'https://stationapi.veriff.com'),
    api_key: headerSecret(entry, 'api_key_file'),
    shared_secrets: rotatedSecrets(entry, 'shared_secret'),
  }
  return (parts) => veriff(settings, parts)
}

function veriff(settings: VeriffSettings, { call }: ExternalParts): ExternalProvider {
  const sessions = `${settings.api_url}/v1/sessions`
  const client = { 'x-auth-client': settings.api_key }
  const signedFor = (external_id: string) => ({
    ...client,
    'x-hmac-signature': createHmac('sha256', settings.shared_secrets[0]).update(external_id).digest('hex'),
  })

  return {
    async createSession({ session_id, return_url }) {
      const { body } = await callProvider(call, sessions, {
        method: 'POST',
        headers: { ...client, 'content-type': 'application/json' },
        body: JSON.stringify({ verification: { callback: return_url, vendorData: session_id } }),
      })
      const redirect_url = pageAt(body, '/verification/url', settings.api_url)
      if (redirect_url === undefined) throw new ProviderFailure('malformed')
      return { external_id: requiredText(body, '/verification/id', VERIFF_UUID), redirect_url }
    },

    readCallback: (body, received) => veriffEvent(body, received, settings),

    async fetchDecision(external_id) {
      const url = `${sessions}/${external_id}/decision`
      const answer = await callProvider(call, url, { headers: signedFor(external_id) })
      // No decision yet.
      if (answer.body.verification === null) return externalDecision(answer.raw, 'pending')
      requireSame(answer.body, '/verification/id', external_id)
      return veriffDecision(answer)
    },

    async redact(external_id) {
      const request = { method: 'DELETE', headers: signedFor(external_id) } as const
      await ignoreUnknown(callProvider(call, `${sessions}/${external_id}`, request))
    },
  }
}

function veriffEvent(
  body: Uint8Array,
  headers: CallbackHeaders,
  { shared_secrets }: VeriffSettings,
): CallbackEvent | undefined {
  const given = onlyHeader(headers, 'x-hmac-signature') ?? ''
  if (!isSigned(shared_secrets, [body], [given], 'hex')) return undefined
  const document = callbackDocument(body)
  const external_id =
    textAt(document, '/verification/id', VERIFF_UUID) ?? textAt(document, '/id', VERIFF_UUID)
  return external_id === undefined ? undefined : { event_id: bodyDigest(body), external_id }
}

const VERIFF_STATUSES: Readonly<Record<string, ExternalStatus>> = {
  created: 'pending',
  started: 'pending',
  submitted: 'pending',
  approved: 'pass',
  declined: 'fail',
  resubmission_requested: 'retry',
  expired: 'expired',
  abandoned: 'expired',
  review: 'review',
}

interface VeriffReason {
  readonly reason: ExternalReason
  /** The check that the code is about. */
  readonly failed?: ExternalCheck
}

const DOCUMENT_FRAUD: VeriffReason = { reason: 'fraud_suspected', failed: 'document' }
const FRAUD: VeriffReason = { reason: 'fraud_suspected' }
const MISMATCH: VeriffReason = { reason: 'face_mismatch', failed: 'face_match' }
const POOR_PICTURES: VeriffReason = { reason: 'document_unverified', failed: 'document' }

/** Codes of `reasonCode`: 1xx and 5xx of declined sessions, 2xx of requested resubmissions. */
const VERIFF_REASONS: Readonly<Record<number, VeriffReason>> = {
  101: DOCUMENT_FRAUD,
  102: DOCUMENT_FRAUD,
  103: MISMATCH,
  104: { reason: 'data_mismatch' },
  105: FRAUD,
  106: FRAUD,
  107: FRAUD,
  108: FRAUD,
  109: FRAUD,
  110: FRAUD,
  111: FRAUD,
  112: { reason: 'unsupported' },
  113: FRAUD,
  120: MISMATCH,
  123: { reason: 'data_mismatch', failed: 'database' },
  127: FRAUD,
  128: { reason: 'data_mismatch' },
  201: POOR_PICTURES,
  204: POOR_PICTURES,
  205: POOR_PICTURES,
  206: { reason: 'document_type', failed: 'document' },
  207: { reason: 'document_expired', failed: 'document' },
  501: FRAUD,
  502: FRAUD,
  503: FRAUD,
  504: { reason: 'liveness_failed', failed: 'liveness' },
  505: { reason: 'liveness_failed', failed: 'liveness' },
  506: DOCUMENT_FRAUD,
  507: DOCUMENT_FRAUD,
  508: DOCUMENT_FRAUD,
  509: MISMATCH,
}

const UNEXPLAINED: readonly ExternalStatus[] = ['pass', 'pending', 'review']

function veriffDecision({ raw, body }: ProviderAnswer): ExternalDecision {
  const word = externalStatus(valueAt(body, '/verification/status'), VERIFF_STATUSES)
  const isApproved = word === 'pass' && valueAt(body, '/verification/code') === APPROVED
  const status = word === 'pass' && !isApproved ? 'review' : word
  const insights = insightChecks(valueAt(body, '/verification/insights'))
  if (UNEXPLAINED.includes(status)) return externalDecision(raw, status, insights)
  if (status === 'expired') return externalDecision(raw, status, insights, ['abandoned'])
  const { reason, failed } = veriffReason(valueAt(body, '/verification/reasonCode'))
  return externalDecision(raw, status, { ...insights, ...(failed !== undefined && { [failed]: false }) }, [
    reason,
  ])
}

function veriffReason(code: unknown): VeriffReason {
  return (typeof code === 'number' ? VERIFF_REASONS[code] : undefined) ?? { reason: 'other' }
}

const INSIGHTS: Readonly<Record<string, ExternalCheck>> = {
  documentAccepted: 'document',
  faceLiveness: 'liveness',
  faceSimilarToPortrait: 'face_match',
}

/** Each insight is `yes`, `no` or `notApplicable` for its label. */
function insightChecks(insights: unknown): ExternalDecision['checks'] {
  const list: readonly unknown[] = Array.isArray(insights) ? insights : []
  return Object.fromEntries(
    list.flatMap((one) => {
      const label = valueAt(one, '/label')
      const check = typeof label === 'string' && Object.hasOwn(INSIGHTS, label) ? INSIGHTS[label] : undefined
      const result = valueAt(one, '/result')
      return check !== undefined && (result === 'yes' || result === 'no') ? [[check, result === 'yes']] : []
    }),
  )
}
