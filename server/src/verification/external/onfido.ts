/**
 * Onfido, now Entrust Identity Verification: Workflow Studio. Documented (OpenAPI description of the API v3.6; the webhook
 * code of the package `@onfido/api` 6.2.0):
 *
 * - `https://api.{eu,us,ca}.onfido.com/v3.6`, `Authorization: Token token=<token>`.
 * - `POST /applicants` needs a first and a last name. `POST /workflow_runs` takes `applicant_id`, `workflow_id`,
 *   `customer_user_id`, `tags` and `link` with the pages to return to; the answer has `id`, `link.url` and `sdk_token`.
 * - `GET /workflow_runs/{id}`: `status` is `awaiting_input`, `awaiting_client_input`, `processing`, `approved`, `declined`,
 *   `review`, `abandoned` or `error`. `output` has the outputs that the operator configured in the workflow.
 * - `DELETE /applicants/{id}` deletes the applicant with everything that belongs to it.
 * - Callbacks: `X-SHA2-Signature`, hex HMAC-SHA256 of the body with the token of the webhook. They have no time and no ID.
 *
 * No idempotency key is documented: a repeated creation may leave behind an applicant without a workflow run. Not in
 * the documentation, but in public integrations: tokens start with `api_sandbox` or `api_live`.
 */
import { valueAt } from '@deputize/protocol'
import { bodyDigest, callbackDocument, pageAt, requiredText, requireSame, textAt } from './answer-members.ts'
import type { EntryReader } from './entry-reader.ts'
import { failedReasons } from './failed-reasons.ts'
import { headerSecret, rotatedSecrets, testMode } from './key-settings.ts'
import {
  type CallbackEvent,
  type CallbackHeaders,
  type ExternalParts,
  type ExternalProvider,
  type NewExternalSession,
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

const REGIONS = ['eu', 'us', 'ca'] as const
const ONFIDO_UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
const SDK_TOKEN = /^[A-Za-z0-9._-]{1,4096}$/
/** A name is required. The person's own is read from the document. */
const NO_NAME = { first_name: 'Not', last_name: 'Given' }
/** The languages that a link can have. Without one, Onfido chooses. */
const LINK_LANGUAGES: Readonly<Record<string, string>> = {
  en: 'en_US',
  de: 'de_DE',
  es: 'es_ES',
  fr: 'fr_FR',
  it: 'it_IT',
  pt: 'pt_PT',
  nl: 'nl_NL',
}

interface OnfidoSettings {
  readonly api_url: string
  readonly api_token: string
  readonly webhook_tokens: readonly string[]
  readonly workflow_id: string
}

export function readOnfido(entry: EntryReader): OpenExternal {
  const region = entry.oneOf('region', REGIONS, 'eu')
  const settings: OnfidoSettings = {
    api_url: entry.url('api_url', `https://api.${region}.onfido.com`),
    api_token: headerSecret(entry, 'api_token_file'),
    webhook_tokens: rotatedSecrets(entry, 'webhook_token'),
    workflow_id: entry.text('workflow_id', ONFIDO_UUID, 'be the ID of a workflow, a UUID in lower case'),
  }
  testMode(entry, 'api_token_file', settings.api_token, /^api_sandbox/)
  return (parts) => onfido(settings, parts)
}

function onfido(settings: OnfidoSettings, { call }: ExternalParts): ExternalProvider {
  const api = `${settings.api_url}/v3.6`
  const headers = { authorization: `Token token=${settings.api_token}` }
  const get = (path: string) => callProvider(call, `${api}${path}`, { headers })
  const remove = (path: string) => callProvider(call, `${api}${path}`, { method: 'DELETE', headers })
  const post = (path: string, body: unknown) =>
    callProvider(call, `${api}${path}`, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })

  return {
    async createSession(session) {
      const applicant_id = requiredText((await post('/applicants', NO_NAME)).body, '/id', ONFIDO_UUID)
      const { body } = await post('/workflow_runs', workflowRun(settings, applicant_id, session)).catch(
        async (failure: unknown) => {
          await remove(`/applicants/${applicant_id}`).catch(() => {}) // the failure that matters is the first one
          throw failure
        },
      )
      const redirect_url = pageAt(body, '/link/url', settings.api_url)
      const client_token = textAt(body, '/sdk_token', SDK_TOKEN)
      if (redirect_url === undefined && client_token === undefined) throw new ProviderFailure('malformed')
      return {
        external_id: requiredText(body, '/id', ONFIDO_UUID),
        ...(redirect_url !== undefined && { redirect_url }),
        ...(client_token !== undefined && { client_token }),
      }
    },

    readCallback: (body, received) => onfidoEvent(body, received, settings),

    async fetchDecision(external_id) {
      const answer = await get(`/workflow_runs/${external_id}`)
      requireSame(answer.body, '/id', external_id)
      return onfidoDecision(answer)
    },

    async redact(external_id) {
      await ignoreUnknown(
        get(`/workflow_runs/${external_id}`).then(({ body }) =>
          remove(`/applicants/${requiredText(body, '/applicant_id', ONFIDO_UUID)}`),
        ),
      )
    },
  }
}

function workflowRun(
  { workflow_id }: OnfidoSettings,
  applicant_id: string,
  { session_id, return_url, locale }: NewExternalSession,
): unknown {
  const language = LINK_LANGUAGES[locale.slice(0, 2)]
  return {
    applicant_id,
    workflow_id,
    customer_user_id: session_id,
    tags: ['deputy'],
    link: {
      completed_redirect_url: return_url,
      expired_redirect_url: return_url,
      ...(language !== undefined && { language }),
    },
  }
}

function onfidoEvent(
  body: Uint8Array,
  headers: CallbackHeaders,
  { webhook_tokens }: OnfidoSettings,
): CallbackEvent | undefined {
  const given = onlyHeader(headers, 'x-sha2-signature') ?? ''
  if (!isSigned(webhook_tokens, [body], [given], 'hex')) return undefined
  const document = callbackDocument(body)
  // Events about a task also name its workflow run.
  const external_id = [
    '/payload/object/workflow_run_id',
    '/payload/resource/workflow_run_id',
    '/payload/object/id',
  ]
    .map((pointer) => textAt(document, pointer, /^[A-Za-z0-9_-]{1,200}$/))
    .find((id) => id !== undefined)
  return external_id === undefined ? undefined : { event_id: bodyDigest(body), external_id }
}

const ONFIDO_STATUSES: Readonly<Record<string, ExternalStatus>> = {
  awaiting_input: 'pending',
  awaiting_client_input: 'pending',
  processing: 'pending',
  approved: 'pass',
  declined: 'fail',
  review: 'review',
  abandoned: 'expired',
  error: 'retry',
}

/** What the operator may configure as workflow outputs, with a report's result as the value. */
const OUTPUT_CHECKS: readonly ExternalCheck[] = ['document', 'liveness', 'face_match']

function onfidoDecision({ raw, body }: ProviderAnswer): ExternalDecision {
  const status = externalStatus(body.status, ONFIDO_STATUSES)
  const checks = Object.fromEntries(
    OUTPUT_CHECKS.flatMap((check) => {
      const result = reportResult(valueAt(body, `/output/${check}`))
      return result === undefined ? [] : [[check, result]]
    }),
  )
  return externalDecision(raw, status, checks, onfidoReasons(status, checks))
}

/** Reports end with `clear` or `consider`. */
function reportResult(value: unknown): boolean | undefined {
  if (value === 'clear' || value === true) return true
  return value === 'consider' || value === false ? false : undefined
}

function onfidoReasons(
  status: ExternalStatus,
  checks: ExternalDecision['checks'],
): readonly ExternalReason[] {
  if (status === 'retry') return ['technical']
  if (status === 'expired') return ['abandoned']
  return status === 'fail' ? failedReasons(checks) : []
}
