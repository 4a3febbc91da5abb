import { createHmac, randomUUID } from 'node:crypto'
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

const API_KEY = 'Bearer pretend-key-of-a-provider'
const CALLBACK_SECRET = 'pretend-callback-secret-000'

interface IdentityCase {
  readonly id: string
  readonly reference: unknown
  status: string
  face: string
}

const OUTCOMES: Readonly<Record<IdentityOutcome, string>> = {
  pending: 'open',
  pass: 'ok',
  fail: 'rejected',
  review: 'manual',
  retry: 'again',
  expired: 'late',
  withdrawn: 'void',
  odd: 'a_status_of_next_year',
}

const refused = (status: number): ServerAnswer => ({ status, body: { error: 'Raw text of the provider' } })

/** An unknown provider with a plain JSON API, of the kind that an operator describes in the providers file. */
export async function aDescribedServer(scope: TestScope): Promise<IdentityServer> {
  const cases = new Map<string, IdentityCase>()
  const deleted = new Set<string>()
  const idempotent = new IdempotentAnswers()

  function answerTo(call: SeenCall): ServerAnswer {
    if (call.headers.authorization !== API_KEY) return refused(401)
    if (call.method === 'POST' && call.path === '/cases')
      return idempotent.answer(call, () => created(jsonObject(call.body)), refused(409))
    const id = call.path.slice('/cases/'.length)
    const found = deleted.has(id) ? undefined : cases.get(id)
    if (found === undefined) return refused(404)
    if (call.method === 'GET') return { status: 200, body: { case: shown(found) } }
    if (call.method !== 'DELETE') return refused(405)
    deleted.add(id)
    return { status: 204 }
  }

  function created({ reference, back }: ProviderJson): ServerAnswer {
    if (typeof reference !== 'string' || typeof back !== 'string') return refused(422)
    const made: IdentityCase = { id: randomUUID(), reference, status: 'open', face: 'same' }
    cases.set(made.id, made)
    return { status: 201, body: { case: { ...shown(made), page: `${server.url}/p/${made.id}` } } }
  }

  function shown({ id, status, face, reference }: IdentityCase): ProviderJson {
    const isDone = status === 'ok' || status === 'rejected'
    return { id, status, reference, words: 'Raw text of the provider', ...(isDone && { report: { face } }) }
  }

  const server = await anIdentityServer(scope, answerTo)
  const words = Object.entries(OUTCOMES).filter(([outcome]) => outcome !== 'odd')
  return Object.assign(server, {
    kind: 'generic',
    entry: {
      create_url: `${server.url}/cases`,
      create_body: { reference: '{session_id}', back: '{return_url}' },
      fetch_url: `${server.url}/cases/{id}`,
      redact_url: `${server.url}/cases/{id}`,
      auth_file: 'described-auth',
      id_pointer: '/case/id',
      redirect_url_pointer: '/case/page',
      status_pointer: '/case/status',
      statuses: Object.fromEntries(words.map(([outcome, word]) => [word, outcome])),
      checks: { face_match: '/case/report/face=same|identical' },
      callback_secret_file: 'described-callbacks',
      signature_header: 'x-described-signature',
      callback_id_pointer: '/case/id',
    },
    secrets: new Map([
      ['described-auth', API_KEY],
      ['described-callbacks', CALLBACK_SECRET],
    ]),
    webhook_secret: CALLBACK_SECRET,
    outcomes: Object.keys(OUTCOMES) as IdentityOutcome[], // the keys of the table above
    decide(id: string, outcome: IdentityOutcome) {
      const found = cases.get(id)
      if (found === undefined) throw new Error(`no ${outcome} for ${id}`)
      found.status = OUTCOMES[outcome]
      found.face = outcome === 'fail' ? 'different' : 'same'
    },
    callback(id: string, { secrets = [CALLBACK_SECRET], time_ms = Date.now() }: CallbackChoices = {}) {
      const body = Buffer.from(JSON.stringify({ case: { id, status: cases.get(id)?.status }, at: time_ms }))
      const [secret = ''] = secrets
      const mac = createHmac('sha256', secret).update(body).digest('hex')
      return { body, headers: { 'x-described-signature': mac } }
    },
    isRedacted: (id: string) => deleted.has(id),
    sessionOf: (id: string) => cases.get(id)?.reference,
  })
}
