import { createHmac, randomUUID } from 'node:crypto'
import type { TestScope } from '../scope.ts'
import {
  anIdentityServer,
  type CallbackChoices,
  type IdentityOutcome,
  type IdentityServer,
  jsonObject,
  type ProviderJson,
  type SeenCall,
  type ServerAnswer,
} from './identity-server.ts'

const API_TOKEN = 'api_sandbox.pretend.0000000000'
const WEBHOOK_TOKEN = 'pretend-webhook-token-000'
const WORKFLOW = '6a3c9b1e-0000-4000-8000-000000000001'
const LANGUAGES = ['en_US', 'de_DE', 'es_ES', 'fr_FR', 'it_IT', 'pt_PT', 'nl_NL']

interface WorkflowRun {
  readonly id: string
  readonly applicant_id: string
  readonly customer_user_id: unknown
  status: string
  face: string
}

const OUTCOMES: Readonly<Record<Exclude<IdentityOutcome, 'withdrawn'>, string>> = {
  pending: 'processing',
  pass: 'approved',
  fail: 'declined',
  review: 'review',
  retry: 'error',
  expired: 'abandoned',
  odd: 'a_status_of_next_year',
}

const refused = (status: number, type: string): ServerAnswer => ({
  status,
  body: { error: { type, message: `Pretend refusal: ${type}`, fields: {} } },
})

/** Onfido's Workflow Studio, as documented: applicants, workflow runs, and deletion via the applicant. */
export async function anOnfidoServer(scope: TestScope): Promise<IdentityServer> {
  const applicants = new Set<string>()
  const deleted = new Set<string>()
  const runs = new Map<string, WorkflowRun>()

  function answerTo(call: SeenCall): ServerAnswer {
    if (call.headers.authorization !== `Token token=${API_TOKEN}`) return refused(401, 'authorization_error')
    const path = call.path.replace(/^\/v3\.6/, '')
    if (path === call.path) return refused(404, 'resource_not_found')
    if (call.method === 'POST' && path === '/applicants') return newApplicant(jsonObject(call.body))
    if (call.method === 'POST' && path === '/workflow_runs') return newRun(jsonObject(call.body))
    const [, kind, id = ''] = path.match(/^\/(applicants|workflow_runs)\/([^/]+)$/) ?? []
    if (kind === 'applicants' && call.method === 'DELETE') return removed(id)
    const run = kind === 'workflow_runs' ? runs.get(id) : undefined
    if (run === undefined || call.method !== 'GET') return refused(404, 'resource_not_found')
    return { status: 200, body: shown(run) }
  }

  function newApplicant({ first_name, last_name }: ProviderJson): ServerAnswer {
    if (typeof first_name !== 'string' || typeof last_name !== 'string')
      return refused(422, 'validation_error')
    const id = randomUUID()
    applicants.add(id)
    return { status: 201, body: { id, first_name, last_name } }
  }

  function newRun({
    applicant_id,
    workflow_id,
    customer_user_id,
    tags,
    link,
    ...others
  }: ProviderJson): ServerAnswer {
    const { language = 'en_US', expired_redirect_url, completed_redirect_url, ...more } = Object(link)
    const isSound =
      typeof applicant_id === 'string' &&
      applicants.has(applicant_id) &&
      workflow_id === WORKFLOW &&
      Array.isArray(tags) &&
      expired_redirect_url === completed_redirect_url &&
      LANGUAGES.includes(language) &&
      Object.keys({ ...others, ...more }).length === 0
    if (!isSound) return refused(422, 'validation_error')
    const run = { id: randomUUID(), applicant_id, customer_user_id, status: 'awaiting_input', face: 'clear' }
    runs.set(run.id, run)
    return { status: 201, body: { ...shown(run), sdk_token: 'pretend.sdk.token' } }
  }

  function shown({ id, applicant_id, customer_user_id, status, face }: WorkflowRun): ProviderJson {
    const isDone = status === 'approved' || status === 'declined'
    return {
      id,
      applicant_id,
      workflow_id: WORKFLOW,
      customer_user_id,
      status,
      output: isDone ? { document: 'clear', liveness: 'clear', face_match: face } : null,
      reasons: ['Raw text of the provider'],
      error: null,
      link: { url: `${server.url}/l/${id}` },
      sdk_token: null,
    }
  }

  function removed(id: string): ServerAnswer {
    if (!applicants.has(id)) return refused(404, 'resource_not_found')
    if (deleted.has(id)) return refused(410, 'gone')
    deleted.add(id)
    return { status: 204 }
  }

  const server = await anIdentityServer(scope, answerTo)
  return Object.assign(server, {
    kind: 'onfido',
    entry: {
      api_url: server.url,
      api_token_file: 'onfido-token',
      webhook_token_file: 'onfido-webhook',
      workflow_id: WORKFLOW,
      test_mode: true,
    },
    secrets: new Map([
      ['onfido-token', API_TOKEN],
      ['onfido-webhook', WEBHOOK_TOKEN],
    ]),
    webhook_secret: WEBHOOK_TOKEN,
    outcomes: Object.keys(OUTCOMES) as IdentityOutcome[], // the keys of the table above
    decide(id: string, outcome: IdentityOutcome) {
      const run = runs.get(id)
      if (run === undefined || outcome === 'withdrawn') throw new Error(`no ${outcome} for ${id}`)
      run.status = OUTCOMES[outcome]
      run.face = outcome === 'fail' ? 'consider' : 'clear'
    },
    callback(id: string, { secrets = [WEBHOOK_TOKEN], time_ms = Date.now() }: CallbackChoices = {}) {
      const status = runs.get(id)?.status
      const object = { id, status, completed_at_iso8601: new Date(time_ms).toISOString() }
      const payload = { resource_type: 'workflow_run', action: 'workflow_run.completed', object }
      const body = Buffer.from(JSON.stringify({ payload }))
      const [secret = ''] = secrets
      return {
        body,
        headers: { 'x-sha2-signature': createHmac('sha256', secret).update(body).digest('hex') },
      }
    },
    isRedacted: (id: string) => deleted.has(runs.get(id)?.applicant_id ?? ''),
    sessionOf: (id: string) => runs.get(id)?.customer_user_id,
  })
}
