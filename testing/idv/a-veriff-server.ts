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

const API_KEY = 'pretend0-0000-4000-8000-000000000001'
const SHARED_SECRET = 'pretend1-0000-4000-8000-000000000002'

interface VeriffSession {
  readonly id: string
  readonly vendorData: unknown
  status: string
  code: number
  reasonCode: number | null
}

type Decided = Pick<VeriffSession, 'status' | 'code' | 'reasonCode'>

const OUTCOMES: Readonly<Record<Exclude<IdentityOutcome, 'withdrawn'>, Decided>> = {
  pending: { status: 'submitted', code: 7002, reasonCode: null },
  pass: { status: 'approved', code: 9001, reasonCode: null },
  fail: { status: 'declined', code: 9102, reasonCode: 103 },
  review: { status: 'review', code: 9121, reasonCode: null },
  retry: { status: 'resubmission_requested', code: 9103, reasonCode: 204 },
  expired: { status: 'abandoned', code: 9104, reasonCode: null },
  odd: { status: 'a_status_of_next_year', code: 9999, reasonCode: null },
}

const refused = (status: number, code: string): ServerAnswer => ({
  status,
  body: { status: 'fail', code, message: `Pretend refusal: ${code}` },
})

const macOf = (secret: string, text: string | Buffer) =>
  createHmac('sha256', secret).update(text).digest('hex')

/** Veriff, as documented: reads and deletions are signed over the session ID, a decision is null until there is one. */
export async function aVeriffServer(scope: TestScope): Promise<IdentityServer> {
  const sessions = new Map<string, VeriffSession>()
  const deleted = new Set<string>()

  function answerTo(call: SeenCall): ServerAnswer {
    if (call.headers['x-auth-client'] !== API_KEY) return refused(401, '1004')
    if (call.method === 'POST' && call.path === '/v1/sessions') return created(jsonObject(call.body))
    const [, id = '', part] = call.path.match(/^\/v1\/sessions\/([^/]+)(\/decision)?$/) ?? []
    if (call.headers['x-hmac-signature'] !== macOf(SHARED_SECRET, id)) return refused(401, '1812')
    const session = deleted.has(id) ? undefined : sessions.get(id)
    if (session === undefined) return refused(404, '1002')
    if (call.method === 'GET' && part === '/decision') return { status: 200, body: decisionOf(session) }
    return call.method === 'DELETE' && part === undefined ? removed(session) : refused(405, 'method')
  }

  function created({ verification, ...others }: ProviderJson): ServerAnswer {
    const { vendorData, callback, ...more } = Object(verification)
    if (Object.keys({ ...others, ...more }).length !== 0 || typeof callback !== 'string')
      return refused(400, '1001')
    const session: VeriffSession = {
      id: randomUUID(),
      vendorData,
      status: 'created',
      code: 0,
      reasonCode: null,
    }
    sessions.set(session.id, session)
    const { id, status } = session
    const url = `${server.url}/v/${id}`
    return {
      status: 201,
      body: { status: 'success', verification: { id, url, vendorData, host: server.url, status } },
    }
  }

  function decisionOf({ id, vendorData, status, code, reasonCode }: VeriffSession): ProviderJson {
    if (code < 9000) return { status: 'success', verification: null, technicalData: { ip: null } }
    const insights = code === 9001 ? [{ label: 'faceLiveness', result: 'yes', category: 'biometric' }] : []
    return {
      status: 'success',
      verification: {
        id,
        code,
        status,
        reasonCode,
        reason: 'Raw text of the provider',
        vendorData,
        person: { firstName: 'Wilhelmina' },
        insights,
      },
      technicalData: { ip: null },
    }
  }

  function removed({ id, code }: VeriffSession): ServerAnswer {
    if (code === 7002 || code === 9121) return refused(400, '1814')
    deleted.add(id)
    return { status: 202, body: { status: 'success', verification: { id } } }
  }

  const server = await anIdentityServer(scope, answerTo)
  return Object.assign(server, {
    kind: 'veriff',
    entry: { api_url: server.url, api_key_file: 'veriff-key', shared_secret_file: 'veriff-secret' },
    secrets: new Map([
      ['veriff-key', API_KEY],
      ['veriff-secret', SHARED_SECRET],
    ]),
    webhook_secret: SHARED_SECRET,
    outcomes: Object.keys(OUTCOMES) as IdentityOutcome[], // the keys of the table above
    decide(id: string, outcome: IdentityOutcome) {
      const session = sessions.get(id)
      if (session === undefined || outcome === 'withdrawn') throw new Error(`no ${outcome} for ${id}`)
      Object.assign(session, OUTCOMES[outcome])
    },
    callback(id: string, { secrets = [SHARED_SECRET], time_ms = Date.now() }: CallbackChoices = {}) {
      const { vendorData, code } = sessions.get(id) ?? { vendorData: null, code: 0 }
      const verification = { id, code, vendorData, decisionTime: new Date(time_ms).toISOString() }
      const body = Buffer.from(JSON.stringify({ status: 'success', verification }))
      const [secret = ''] = secrets
      return { body, headers: { 'x-auth-client': API_KEY, 'x-hmac-signature': macOf(secret, body) } }
    },
    isRedacted: (id: string) => deleted.has(id),
    sessionOf: (id: string) => sessions.get(id)?.vendorData,
  })
}
