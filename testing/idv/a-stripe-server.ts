import { createHmac, randomBytes } from 'node:crypto'
import type { TestScope } from '../scope.ts'
import {
  anIdentityServer,
  type CallbackChoices,
  IdempotentAnswers,
  type IdentityOutcome,
  type IdentityServer,
  type SeenCall,
  type ServerAnswer,
} from './identity-server.ts'

const API_KEY = 'rk_test_51Pretend0000000000'
const WEBHOOK_SECRET = 'whsec_pretend_0000000000000000'
const VERSION = '2026-10-28.endive'
const SESSIONS = '/v1/identity/verification_sessions'
const PARAMETERS = [
  'type',
  'options[document][require_matching_selfie]',
  'options[document][require_live_capture]',
  'client_reference_id',
  'metadata[deputy_session]',
  'return_url',
]

interface StripeSession {
  readonly id: string
  status: string
  last_error: { readonly code: string; readonly reason: string } | null
  redaction: { readonly status: string } | null
  reference: string | null
  readonly options: unknown
}

const OUTCOMES: Readonly<Record<Exclude<IdentityOutcome, 'expired'>, readonly [string, string?]>> = {
  pending: ['processing'],
  pass: ['verified'],
  fail: ['requires_input', 'selfie_face_mismatch'],
  review: ['requires_input', 'a_code_of_next_year'],
  retry: ['requires_input', 'document_expired'],
  withdrawn: ['canceled'],
  odd: ['a_status_of_next_year'],
}

const refused = (status: number, code: string): ServerAnswer => ({
  status,
  body: { error: { type: 'invalid_request_error', code, message: `Pretend refusal: ${code}` } },
})

/** Stripe Identity, as documented: form bodies, pinned version, idempotency keys, redaction in some statuses only. */
export async function aStripeServer(scope: TestScope): Promise<IdentityServer> {
  const sessions = new Map<string, StripeSession>()
  const idempotent = new IdempotentAnswers()

  function answerTo(call: SeenCall): ServerAnswer {
    if (call.headers.authorization !== `Bearer ${API_KEY}`) return refused(401, 'api_key_invalid')
    if (call.headers['stripe-version'] !== VERSION) return refused(400, 'api_version_unknown')
    if (call.method === 'POST' && call.headers['content-type'] !== 'application/x-www-form-urlencoded')
      return refused(400, 'content_type')
    if (call.method === 'POST' && call.path === SESSIONS)
      return idempotent.answer(
        call,
        () => created(new URLSearchParams(call.body)),
        refused(400, 'idempotency_error'),
      )
    const [, id = '', action] =
      call.path.match(/^\/v1\/identity\/verification_sessions\/([^/]+)(\/redact)?$/) ?? []
    const session = sessions.get(id)
    if (session === undefined) return refused(404, 'resource_missing')
    if (call.method === 'GET' && action === undefined) return { status: 200, body: shown(session) }
    return call.method === 'POST' && action === '/redact' ? redacted(session) : refused(405, 'method')
  }

  function created(form: URLSearchParams): ServerAnswer {
    const unknown = [...form.keys()].find((name) => !PARAMETERS.includes(name))
    if (unknown !== undefined) return refused(400, 'parameter_unknown')
    if (form.get('type') !== 'document') return refused(400, 'parameter_missing')
    const session: StripeSession = {
      id: `vs_${randomBytes(12).toString('hex')}`,
      status: 'requires_input',
      last_error: null,
      redaction: null,
      reference: form.get('client_reference_id'),
      options: {
        document: {
          require_matching_selfie: form.get('options[document][require_matching_selfie]') === 'true',
          require_live_capture: form.get('options[document][require_live_capture]') === 'true',
        },
      },
    }
    sessions.set(session.id, session)
    const secrets = {
      client_secret: `${session.id}_secret_pretend`,
      url: `${server.url}/start/${session.id}`,
    }
    return { status: 200, body: { ...shown(session), ...secrets } }
  }

  function shown({ id, status, last_error, redaction, reference, options }: StripeSession) {
    return {
      id,
      object: 'identity.verification_session',
      type: 'document',
      livemode: false,
      status,
      last_error,
      redaction,
      client_reference_id: reference,
      metadata: reference === null ? {} : { deputy_session: reference },
      options,
      last_verification_report: 'vr_pretend',
      client_secret: null,
      url: null,
    }
  }

  function redacted(session: StripeSession): ServerAnswer {
    if (session.redaction !== null || session.status === 'processing') return refused(400, 'redaction')
    session.redaction = { status: 'processing' }
    session.reference = null
    return { status: 200, body: shown(session) }
  }

  const server = await anIdentityServer(scope, answerTo)
  return Object.assign(server, {
    kind: 'stripe',
    entry: {
      api_url: server.url,
      api_key_file: 'stripe-key',
      webhook_secret_file: 'stripe-webhook',
      test_mode: true,
    },
    secrets: new Map([
      ['stripe-key', `${API_KEY}\n`],
      ['stripe-webhook', `${WEBHOOK_SECRET}\n`],
    ]),
    webhook_secret: WEBHOOK_SECRET,
    outcomes: Object.keys(OUTCOMES) as IdentityOutcome[], // the keys of the table above
    decide(id: string, outcome: IdentityOutcome) {
      const session = sessions.get(id)
      if (session === undefined || outcome === 'expired') throw new Error(`no ${outcome} for ${id}`)
      const [status, code] = OUTCOMES[outcome]
      session.status = status
      session.last_error = code === undefined ? null : { code, reason: 'Raw text of the provider' }
    },
    callback(id: string, { secrets = [WEBHOOK_SECRET], time_ms = Date.now() }: CallbackChoices = {}) {
      const session = sessions.get(id)
      const type = `identity.verification_session.${session?.status}`
      const event_id = `evt_${randomBytes(12).toString('hex')}`
      const object = session === undefined ? { id } : shown(session)
      const body = Buffer.from(JSON.stringify({ id: event_id, object: 'event', type, data: { object } }))
      const time_s = Math.floor(time_ms / 1000)
      const signatures = secrets.map(
        (secret) => `v1=${createHmac('sha256', secret).update(`${time_s}.`).update(body).digest('hex')}`,
      )
      return { body, headers: { 'stripe-signature': [`t=${time_s}`, ...signatures].join(',') } }
    },
    isRedacted: (id: string) => sessions.get(id)?.redaction !== null,
    sessionOf: (id: string) => sessions.get(id)?.reference,
  })
}
