import { createHmac, randomBytes } from 'node:crypto'
import type { TestScope } from '../scope.ts'
import {
  anIdentityServer,
  type CallbackChoices,
  IdempotentAnswers,
  type IdentityOutcome,
  type IdentityServer,
  jsonObject,
  type ProviderJson,
  type SeenCall,
  type ServerAnswer,
} from './identity-server.ts'

const API_KEY = 'persona_sandbox_pretend-0000-0000'
const WEBHOOK_SECRET = 'wbhsec_pretend_0000000000'
const TEMPLATE = 'itmpl_pretend000000'
const VERSIONS = ['2025-10-27', '2025-12-08', '2026-09-29']
const INQUIRIES = '/api/v1/inquiries'

interface Inquiry {
  readonly id: string
  status: string
  note: unknown
  is_redacted: boolean
  selfie: 'passed' | 'failed'
}

const OUTCOMES: Readonly<Record<Exclude<IdentityOutcome, 'retry' | 'withdrawn'>, string>> = {
  pending: 'pending',
  pass: 'approved',
  fail: 'declined',
  review: 'needs_review',
  expired: 'expired',
  odd: 'a_status_of_next_year',
}

const refused = (status: number, title: string): ServerAnswer => ({
  status,
  body: { errors: [{ title, details: `Pretend refusal: ${title}` }] },
})

/** Persona, as documented: JSON:API documents, sparse fields, versions, idempotency keys, two pairs during rotation. */
export async function aPersonaServer(scope: TestScope): Promise<IdentityServer> {
  const inquiries = new Map<string, Inquiry>()
  const idempotent = new IdempotentAnswers()

  function answerTo(call: SeenCall): ServerAnswer {
    if (call.headers.authorization !== `Bearer ${API_KEY}`) return refused(401, 'Must be authenticated')
    if (!VERSIONS.includes(String(call.headers['persona-version']))) return refused(400, 'Invalid version')
    if (call.method === 'POST' && call.path === INQUIRIES)
      return idempotent.answer(
        call,
        () => created(jsonObject(call.body)),
        refused(409, 'Idempotency conflict'),
      )
    const inquiry = inquiries.get(call.path.slice(INQUIRIES.length + 1))
    if (inquiry === undefined) return refused(404, 'Record not found')
    if (call.method === 'GET') return { status: 200, body: shown(inquiry, call.query) }
    if (call.method !== 'DELETE') return refused(405, 'Method not allowed')
    Object.assign(inquiry, { is_redacted: true, note: null })
    return { status: 200, body: shown(inquiry, call.query) }
  }

  function created({ data, meta }: ProviderJson): ServerAnswer {
    const attributes = Object(Object(data).attributes)
    if (attributes['inquiry-template-id'] !== TEMPLATE) return refused(422, 'Template not found')
    if (Object(meta)['auto-create-account'] !== false) return refused(422, 'An account would be created')
    const inquiry: Inquiry = {
      id: `inq_${randomBytes(12).toString('hex')}`,
      status: 'created',
      note: attributes.note,
      is_redacted: false,
      selfie: 'passed',
    }
    inquiries.set(inquiry.id, inquiry)
    const link = `${server.url}/verify?code=${inquiry.id}`
    const links = Object(meta)['auto-create-one-time-link'] === true ? { 'one-time-link': link } : {}
    return { status: 201, body: { ...shown(inquiry, new URLSearchParams()), meta: links } }
  }

  function shown(inquiry: Inquiry, query: URLSearchParams): ProviderJson {
    const included = query.get('include') === 'verifications' ? verifications(inquiry, query) : undefined
    return { data: sparse({ ...resource(inquiry) }, query), ...(included !== undefined && { included }) }
  }

  function resource({ id, status, note, is_redacted }: Inquiry) {
    const name = is_redacted ? null : 'Wilhelmina'
    return {
      type: 'inquiry',
      id,
      attributes: { status, note, 'name-first': name, 'redacted-at': is_redacted ? 'now' : null },
    }
  }

  /** The verifications of an inquiry. The first attempt with the document has failed, as it often does. */
  function verifications({ selfie, status }: Inquiry, query: URLSearchParams): ProviderJson[] {
    if (status === 'created' || status === 'pending') return []
    const document = (id: string, result: string) => ({
      type: 'verification/government-id',
      id,
      attributes: { status: result, 'name-first': 'Wilhelmina', checks: [] },
    })
    const checks = [
      { name: 'selfie_glare_detection', status: 'failed', requirement: 'not_required' },
      { name: 'selfie_liveness_detection', status: selfie, requirement: 'required' },
      { name: 'selfie_id_comparison', status: selfie, requirement: 'required' },
    ]
    const face = {
      type: 'verification/selfie',
      id: 'ver_3',
      attributes: { status: selfie, 'center-photo-url': 'https://photos.invalid/1', checks },
    }
    return [document('ver_1', 'failed'), document('ver_2', 'passed'), face].map((one) => sparse(one, query))
  }

  const server = await anIdentityServer(scope, answerTo)
  return Object.assign(server, {
    kind: 'persona',
    entry: {
      api_url: server.url,
      api_key_file: 'persona-key',
      webhook_secret_file: 'persona-webhook',
      template_id: TEMPLATE,
      test_mode: true,
    },
    secrets: new Map([
      ['persona-key', API_KEY],
      ['persona-webhook', WEBHOOK_SECRET],
    ]),
    webhook_secret: WEBHOOK_SECRET,
    outcomes: Object.keys(OUTCOMES) as IdentityOutcome[], // the keys of the table above
    decide(id: string, outcome: IdentityOutcome) {
      const inquiry = inquiries.get(id)
      if (inquiry === undefined || outcome === 'retry' || outcome === 'withdrawn')
        throw new Error(`no ${outcome} for ${id}`)
      inquiry.status = OUTCOMES[outcome]
      inquiry.selfie = outcome === 'fail' ? 'failed' : 'passed'
    },
    callback(id: string, { secrets = [WEBHOOK_SECRET], time_ms = Date.now() }: CallbackChoices = {}) {
      const status = inquiries.get(id)?.status
      const payload = { data: { type: 'inquiry', id, attributes: { status } } }
      const attributes = { name: `inquiry.${status}`, payload, 'created-at': new Date(time_ms).toISOString() }
      const event_id = `evt_${randomBytes(12).toString('hex')}`
      const body = Buffer.from(JSON.stringify({ data: { type: 'event', id: event_id, attributes } }))
      const time_s = Math.floor(time_ms / 1000)
      const pairs = secrets.map(
        (secret) =>
          `t=${time_s},v1=${createHmac('sha256', secret).update(`${time_s}.`).update(body).digest('hex')}`,
      )
      return { body, headers: { 'persona-signature': pairs.join(' ') } }
    },
    isRedacted: (id: string) => inquiries.get(id)?.is_redacted === true,
    sessionOf: (id: string) => inquiries.get(id)?.note,
  })
}

/** Leaves out the attributes that `fields[type]` does not name. */
function sparse<T extends { type: string; id: string; attributes: object }>(
  one: T,
  query: URLSearchParams,
): ProviderJson {
  const wanted = query.get(`fields[${one.type}]`)?.split(',')
  const attributes = Object.entries(one.attributes).filter(([name]) => wanted?.includes(name) ?? true)
  return { ...one, attributes: Object.fromEntries(attributes) }
}
