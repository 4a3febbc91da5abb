import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { after, beforeEach, describe, test } from 'node:test'
import { aDescribedServer } from '@deputize/testing/idv/a-described-server.ts'
import { aPersonaServer } from '@deputize/testing/idv/a-persona-server.ts'
import { aStripeServer } from '@deputize/testing/idv/a-stripe-server.ts'
import { aVeriffServer } from '@deputize/testing/idv/a-veriff-server.ts'
import { anOnfidoServer } from '@deputize/testing/idv/an-onfido-server.ts'
import type { IdentityServer, ProviderJson, ServerAnswer } from '@deputize/testing/idv/identity-server.ts'
import { readVector } from '@deputize/testing/read-vector.ts'
import { type Outbound, outbound } from '../../src/outbound/outbound.ts'
import {
  type CallbackHeaders,
  type ExternalProvider,
  type NewExternalSession,
  ProviderFailure,
} from '../../src/verification/external/port.ts'
import { readExternals } from '../../src/verification/external/read-external.ts'
import {
  EXTERNAL_REASONS,
  type ExternalStatus,
  isDowngrade,
} from '../../src/verification/external/verdict.ts'

const NOW_MS = Date.parse('2026-11-16T12:00:00Z')
const OTHER_SECRET = 'another-secret-of-the-same-webhook'
const SESSION: NewExternalSession = {
  session_id: 'vs_0123456789abcdef0123456789abcdef',
  attempt: 1,
  human_ref: 'sha256:a-person-who-must-not-be-named-to-a-provider',
  return_url: 'https://deputy.example/verify-me/vs_0123456789abcdef0123456789abcdef',
  callback_url: 'https://deputy.example/v1/vat/auth/providers/id-check/callback',
  locale: 'de-AT',
}
const loopback = outbound({ allow_loopback: true })

const stripe = await aStripeServer({ after })
const persona = await aPersonaServer({ after })
const onfido = await anOnfidoServer({ after })
const veriff = await aVeriffServer({ after })
const described = await aDescribedServer({ after })
beforeEach(() => {
  for (const server of [stripe, persona, onfido, veriff, described]) server.instead = undefined
})

interface ProviderCase {
  readonly name: string
  readonly server: IdentityServer
  /** Which header has the signature, and whether it has a time and several signatures. */
  readonly header: string
  readonly is_timed: boolean
  readonly is_idempotent: boolean
  readonly pass_checks: ProviderJson
  readonly fail_reasons: readonly string[]
  /** Providers that an operator describes may have numbers for IDs, and no status until there is one. */
  readonly is_described?: boolean
  /** A body that the provider would send about this session, with other members than it would have. */
  readonly body: (id: unknown, more?: ProviderJson) => ProviderJson
}

const PROVIDERS: readonly ProviderCase[] = [
  {
    name: 'Stripe',
    server: stripe,
    header: 'stripe-signature',
    is_timed: true,
    is_idempotent: true,
    pass_checks: { document: true, face_match: true },
    fail_reasons: ['face_mismatch'],
    body: (id, more) => ({ id: 'evt_1', data: { object: { id } }, ...more }),
  },
  {
    name: 'Persona',
    server: persona,
    header: 'persona-signature',
    is_timed: true,
    is_idempotent: true,
    pass_checks: { document: true, liveness: true, face_match: true },
    fail_reasons: ['liveness_failed', 'face_mismatch'],
    body: (id, more) => ({ data: { id: 'evt_1', attributes: { payload: { data: { id } } }, ...more } }),
  },
  {
    name: 'Onfido',
    server: onfido,
    header: 'x-sha2-signature',
    is_timed: false,
    is_idempotent: false,
    pass_checks: { document: true, liveness: true, face_match: true },
    fail_reasons: ['face_mismatch'],
    body: (id, more) => ({ payload: { resource_type: 'workflow_run', object: { id }, ...more } }),
  },
  {
    name: 'Veriff',
    server: veriff,
    header: 'x-hmac-signature',
    is_timed: false,
    is_idempotent: false,
    pass_checks: { liveness: true },
    fail_reasons: ['face_mismatch'],
    body: (id, more) => ({ status: 'success', verification: { id }, ...more }),
  },
  {
    name: 'a provider that the operator describes',
    server: described,
    header: 'x-described-signature',
    is_timed: false,
    is_idempotent: true,
    pass_checks: { face_match: true },
    is_described: true,
    // Reasons are the provider's own words, which are not passed on.
    fail_reasons: [],
    body: (id, more) => ({ case: { id, ...more } }),
  },
]

function caseOf(server: IdentityServer): ProviderCase {
  const found = PROVIDERS.find((one) => one.server === server)
  assert.ok(found)
  return found
}

/** What a test may change about an entry, its secrets and its surroundings. */
interface Changes {
  readonly entry?: ProviderJson
  readonly secrets?: Readonly<Record<string, string>>
  readonly call?: Outbound
}

function opened(server: IdentityServer, { entry = {}, secrets = {}, call = loopback }: Changes = {}) {
  const { entries, problems } = readEntry(server, entry, secrets)
  assert.deepEqual(problems, [])
  const [found] = entries
  assert.ok(found)
  return found.open({
    name: 'id-check',
    call,
    clock: () => NOW_MS,
    public_url: () => 'https://deputy.example',
    derivedSecret: () => 'not used',
  })
}

function readEntry(
  server: IdentityServer,
  changes: ProviderJson,
  secrets: Readonly<Record<string, string>> = {},
) {
  const members = { name: 'id-check', kind: server.kind, level: 'L2', ...server.entry, ...changes }
  return readExternals(JSON.stringify({ providers: [members] }), (file) => {
    const content = secrets[file] ?? server.secrets.get(file)
    if (content === undefined) throw new Error(`no file ${file}`)
    return content
  })
}

/** The name of the member that names the file with the secret of the webhook. */
function secretMember({ entry, secrets, webhook_secret }: IdentityServer): string {
  const found = Object.entries(entry).find(([, file]) => secrets.get(String(file))?.trim() === webhook_secret)
  assert.ok(found)
  return found[0]
}

/** The name of the member with the address of the API. */
function urlMember({ entry }: IdentityServer): string {
  return 'api_url' in entry ? 'api_url' : 'create_url'
}

function received(headers: Readonly<Record<string, string>>): CallbackHeaders {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value]]))
}

/** Headers for a body that the provider would have signed, whatever it contains. */
function signed({ header, is_timed }: ProviderCase, secret: string, body: string | Buffer): CallbackHeaders {
  const time = `${Math.floor(NOW_MS / 1000)}`
  const mac = createHmac('sha256', secret)
    .update(is_timed ? `${time}.` : '')
    .update(body)
    .digest('hex')
  return { [header]: [is_timed ? `t=${time},v1=${mac}` : mac] }
}

async function failureOf(promise: Promise<unknown>): Promise<ProviderFailure> {
  const failure = await promise.then(
    () => assert.fail('nothing failed'),
    (error: unknown) => error,
  )
  assert.ok(failure instanceof ProviderFailure, String(failure))
  return failure
}

for (const one of PROVIDERS)
  describe(`${one.name}`, () => {
    const { server } = one
    let provider: ExternalProvider
    let id: string
    beforeEach(async () => {
      provider = opened(server)
      id = (await provider.createSession({ ...SESSION, attempt: Math.floor(Math.random() * 1e9) }))
        .external_id
    })
    const decided = async () => (await provider.fetchDecision(id, undefined)).status

    test('a session has a page, the session ID and no person', async () => {
      const session = await provider.createSession(SESSION)
      assert.match(session.redirect_url ?? '', new RegExp(`^${server.url}/`))
      assert.match(session.external_id, /^[A-Za-z0-9._~:-]{1,200}$/)
      assert.equal(server.sessionOf(session.external_id), SESSION.session_id)
      const sent = JSON.stringify(server.calls.map(({ body, path, headers }) => ({ body, path, headers })))
      assert.ok(!sent.includes(SESSION.human_ref))
      assert.ok(sent.includes(encodeURIComponent(SESSION.return_url)) || sent.includes(SESSION.return_url))
    })

    test('a creation that is repeated makes one session where the provider can tell, and a retry makes another', async () => {
      const first = await provider.createSession(SESSION)
      const again = await provider.createSession(SESSION)
      const retry = await provider.createSession({ ...SESSION, attempt: 2 })
      assert.equal(again.external_id === first.external_id, one.is_idempotent)
      assert.notEqual(retry.external_id, first.external_id)
    })

    test('a page that is neither https nor on the machine of the provider is never passed on', async () => {
      for (const page of [
        'javascript:alert(1)//',
        'http://elsewhere.example',
        'data:text/html,',
        'https://a:b@c.example',
      ]) {
        const call: Outbound = async (url, request) => {
          const answer = await loopback(url, request)
          return new Response((await answer.text()).replaceAll(server.url, page), { status: answer.status })
        }
        const session = opened(server, { call }).createSession({ ...SESSION, attempt: 7 })
        // A token for the provider's own SDK is enough, where there is one.
        if (server === onfido) assert.equal((await session).redirect_url, undefined)
        else assert.equal((await failureOf(session)).reason, 'malformed')
      }
    })

    test('a session that nobody has opened is pending', async () => {
      assert.equal(await decided(), 'pending')
    })

    test('each documented status has its meaning, and an unknown one is never a pass', async () => {
      for (const outcome of server.outcomes) {
        server.decide(id, outcome)
        const expected: ExternalStatus = outcome === 'odd' ? 'pending' : outcome
        assert.equal(await decided(), expected, outcome)
      }
    })

    test('a pass names its checks, a failure its reasons, and neither repeats what the provider wrote', async () => {
      server.decide(id, 'pass')
      const pass = await provider.fetchDecision(id, undefined)
      assert.deepEqual({ ...pass.checks }, one.pass_checks)
      assert.deepEqual(pass.reasons, [])
      server.decide(id, 'fail')
      const fail = await provider.fetchDecision(id, undefined)
      assert.deepEqual(fail.reasons, one.fail_reasons)
      for (const reason of fail.reasons) assert.ok(EXTERNAL_REASONS.includes(reason))
      assert.match(fail.raw_hash, /^sha256:[0-9a-f]{64}$/)
      assert.doesNotMatch(JSON.stringify([pass, fail]), /Raw text|Wilhelmina/)
    })

    test('a decision that turns bad after a pass is a downgrade, and the order of callbacks does not matter', async () => {
      server.decide(id, 'pass')
      const before = await decided()
      const late = server.callback(id, { time_ms: NOW_MS })
      server.decide(id, 'fail')
      // The event that says "approved" arrives after the provider has changed its mind: the decision is fetched, not read.
      assert.equal(provider.readCallback(late.body, received(late.headers))?.external_id, id)
      assert.ok(isDowngrade(before, await decided()))
    })

    test('a genuine callback names its session and its event, the same one each time', () => {
      const { body, headers } = server.callback(id, { time_ms: NOW_MS })
      const event = provider.readCallback(body, received(headers))
      assert.equal(event?.external_id, id)
      assert.deepEqual(provider.readCallback(body, received(headers)), event)
      const next = server.callback(id, { time_ms: NOW_MS + 1000 })
      assert.notEqual(provider.readCallback(next.body, received(next.headers))?.event_id, event?.event_id)
    })

    test('a callback with a wrong signature, another body or no single header is refused', () => {
      const { body, headers } = server.callback(id, { time_ms: NOW_MS })
      const value = headers[one.header] ?? ''
      const forged = server.callback(id, { secrets: [OTHER_SECRET], time_ms: NOW_MS })
      const changed = Buffer.from(body.toString().replace(id, `${id.slice(0, -1)}x`))
      const refused: readonly (readonly [string, Buffer, CallbackHeaders])[] = [
        ['another secret', forged.body, received(forged.headers)],
        ['another session', changed, received(headers)],
        ['one byte more', Buffer.concat([body, Buffer.from(' ')]), received(headers)],
        ['empty body', Buffer.alloc(0), received(headers)],
        ['no header', body, {}],
        ['sent twice', body, { [one.header]: [value, value] }],
        ['a forged one before it', body, { [one.header]: [forged.headers[one.header] ?? '', value] }],
        ['forged ones, joined', forged.body, { [one.header]: [`${forged.headers[one.header]}, ${value}`] }],
        ['empty', body, { [one.header]: [''] }],
        ['cut short', body, { [one.header]: [value.slice(0, -1)] }],
        ['longer', body, { [one.header]: [`${value}00`] }],
        [
          'look-alike digits',
          body,
          {
            [one.header]: [
              value.replaceAll(/[0-9]/g, (digit) => String.fromCharCode(0xff10 + Number(digit))),
            ],
          },
        ],
        ['two times', body, { [one.header]: [`${value},t=1`] }],
        ['a million characters', body, { [one.header]: [`${value},${'v1=0,'.repeat(200_000)}`] }],
        [
          'base64',
          body,
          {
            [one.header]: [
              value.replace(/[0-9a-f]{64}/, (hex) => Buffer.from(hex, 'hex').toString('base64')),
            ],
          },
        ],
      ]
      for (const [name, bytes, sent] of refused)
        assert.equal(provider.readCallback(bytes, sent), undefined, name)
    })

    if (one.is_timed)
      test('a callback from more than five minutes ago or ahead is refused', () => {
        const at = (seconds: number) => {
          const { body, headers } = server.callback(id, { time_ms: NOW_MS + seconds * 1000 })
          return provider.readCallback(body, received(headers)) !== undefined
        }
        assert.deepEqual([-301, -300, 0, 300, 301].map(at), [false, true, true, true, false])
      })

    test('while the secret is rotated, the old and the new one are both taken', () => {
      const before = opened(server, {
        secrets: { [String(server.entry[secretMember(server)])]: OTHER_SECRET },
      })
      const during = opened(server, {
        entry: { [`previous_${secretMember(server)}`]: 'the-other' },
        secrets: { 'the-other': OTHER_SECRET },
      })
      const old = server.callback(id, { secrets: [OTHER_SECRET], time_ms: NOW_MS })
      const fresh = server.callback(id, { time_ms: NOW_MS })
      const takes = ({ body, headers }: typeof old, reader = during) =>
        reader.readCallback(body, received(headers)) !== undefined
      assert.ok(takes(old) && takes(fresh))
      assert.ok(takes(old, before) && !takes(fresh, before))
      if (!one.is_timed) return
      // Providers with a time send one signature for each secret.
      const both = server.callback(id, { secrets: [OTHER_SECRET, server.webhook_secret], time_ms: NOW_MS })
      assert.ok(takes(both) && takes(both, before) && takes(both, provider))
    })

    test('a genuine callback that is no event of the provider is refused without an error', () => {
      const depth = 200_000
      const bodies = [
        '',
        '[]',
        'null',
        '"evt_1"',
        '{"id":"evt_1"',
        '\ufeff{}',
        `${'['.repeat(depth)}${']'.repeat(depth)}`,
        '{"__proto__":{"id":"evt_1"},"constructor":{"id":"evt_1"}}',
        ...(one.is_described ? [] : [JSON.stringify(one.body(42))]),
        JSON.stringify(one.body(null)),
        JSON.stringify(one.body([id])),
        JSON.stringify(one.body(`../${id}`)),
        JSON.stringify(one.body('..')),
        JSON.stringify(one.body('')),
        JSON.stringify(one.body('i'.repeat(201))),
        JSON.stringify(one.body(id)).replace(`"id":"${id}"`, `"id":"${id}","id":"${id}"`),
      ]
      for (const body of bodies)
        assert.equal(
          provider.readCallback(Buffer.from(body), signed(one, server.webhook_secret, body)),
          undefined,
          body.slice(0, 80),
        )
      const notUtf8 = Buffer.from(JSON.stringify(one.body(id)).replace('"id"', '"\u00ff"'), 'latin1')
      assert.equal(provider.readCallback(notUtf8, signed(one, server.webhook_secret, notUtf8)), undefined)
      const right = JSON.stringify(one.body(id))
      assert.ok(provider.readCallback(Buffer.from(right), signed(one, server.webhook_secret, right)))
    })

    test('each way to fail has its reason, and nothing of the answer is repeated', async () => {
      const answers: readonly (readonly [ServerAnswer | string, string])[] = [
        [{ status: 401, body: { message: 'Raw text' } }, 'refused'],
        [{ status: 403 }, 'refused'],
        [{ status: 400, body: {} }, 'refused'],
        [{ status: 404 }, 'unknown'],
        [{ status: 410 }, 'unknown'],
        [{ status: 429, headers: { 'retry-after': '17' } }, 'rate_limited'],
        [{ status: 408 }, 'unavailable'],
        [{ status: 500, body: { message: 'Raw text' } }, 'unavailable'],
        [{ status: 503 }, 'unavailable'],
        [{ status: 302, headers: { location: 'https://elsewhere.example' } }, 'refused'],
        ['Raw text, not JSON', 'malformed'],
        ['[]', 'malformed'],
        ['{}', 'malformed'],
        ['{"id":1}', 'malformed'],
        [`{"big":"${'x'.repeat(200_000)}"}`, 'unavailable'],
      ]
      for (const [answer, reason] of answers) {
        server.instead = () => answer
        const isOpen = one.is_described && (answer === '{}' || answer === '{"id":1}')
        const fetched = isOpen ? [] : [provider.fetchDecision(id, undefined)]
        for (const work of [...fetched, provider.createSession(SESSION)]) {
          const failure = await failureOf(work)
          assert.equal(failure.reason, reason, JSON.stringify(answer).slice(0, 80))
          assert.doesNotMatch(failure.message, /Raw text/)
          assert.equal(failure.retry_after_s, reason === 'rate_limited' ? 17 : undefined)
        }
      }
    })

    test('a provider that hangs or is gone is unavailable', async () => {
      server.instead = () => new Promise<never>(() => {})
      const hasty = opened(server, { call: outbound({ allow_loopback: true, timeout_ms: 40 }) })
      assert.equal((await failureOf(hasty.fetchDecision(id, undefined))).reason, 'unavailable')
      const gone = opened(server, { entry: { [urlMember(server)]: 'http://127.0.0.1:9' } })
      assert.equal((await failureOf(gone.createSession(SESSION))).reason, 'unavailable')
    })

    test('an answer about another session is no answer', async () => {
      server.decide(id, 'pass')
      const other = (await provider.createSession({ ...SESSION, attempt: 3 })).external_id
      const swapped: Outbound = (url, request) => loopback(url.replaceAll(other, id), rehashed(request))
      const rehashed = (request: Parameters<Outbound>[1]) => ({
        ...request,
        headers: {
          ...request?.headers,
          ...(one.name === 'Veriff' && {
            'x-hmac-signature': createHmac('sha256', server.webhook_secret).update(id).digest('hex'),
          }),
        },
      })
      const failure = await failureOf(opened(server, { call: swapped }).fetchDecision(other, undefined))
      assert.equal(failure.reason, 'malformed')
    })

    test('a wrong credential is refused, and an unknown session is unknown', async () => {
      const [file = ''] = server.secrets.keys() // the credential comes first
      const wrong = opened(server, { secrets: { [file]: `${server.secrets.get(file)?.trim()}x` } })
      assert.equal((await failureOf(wrong.createSession(SESSION))).reason, 'refused')
      assert.equal((await failureOf(wrong.fetchDecision(id, undefined))).reason, 'refused')
      const unknown = id.replace(/[0-9a-f]{4}$/, '0000')
      assert.equal((await failureOf(provider.fetchDecision(unknown, undefined))).reason, 'unknown')
    })

    test('redaction leaves nothing, may be repeated, and fails while the provider is down', async () => {
      server.decide(id, 'pass')
      server.instead = () => ({ status: 503 })
      assert.ok(provider.redact)
      assert.equal((await failureOf(provider.redact(id))).reason, 'unavailable')
      assert.equal(server.isRedacted(id), false)
      server.instead = undefined
      await provider.redact(id)
      assert.equal(server.isRedacted(id), true)
      await provider.redact(id)
      await provider.redact(id.replace(/[0-9a-f]{4}$/, '0000'))
    })

    test('the server refuses what the provider would refuse', async () => {
      const path = server.calls.find(({ method }) => method === 'POST')?.path
      const answer = await fetch(`${server.url}${path}`, { method: 'POST', body: '{}' })
      assert.equal(answer.status, 401)
    })

    test('mistakes in an entry are said with their fix and without secrets', () => {
      const secret = server.secrets.values().next().value?.trim() ?? ''
      const wrong: readonly (readonly [ProviderJson, RegExp])[] = [
        [{ [secretMember(server)]: undefined }, /must be the path of a file/],
        [{ [secretMember(server)]: 'nowhere' }, /no file nowhere/],
        [{ [urlMember(server)]: 'http://provider.example' }, /_url must be an https address/],
        [{ [urlMember(server)]: 'https://provider.example/?x' }, /_url must be an https address/],
        [{ webhook_key: 'x' }, /Unknown member "webhook_key"/],
        ...(server.entry.test_mode === true
          ? ([[{ test_mode: undefined }, /holds a test key, and test keys verify nobody/]] as const)
          : []),
      ]
      for (const [changes, problem] of wrong) {
        const { entries, problems } = readEntry(server, changes)
        assert.deepEqual(entries, [])
        assert.match(problems.join('\n'), problem)
        assert.ok(!problems.join('\n').includes(secret))
      }
      const [file = ''] = server.secrets.keys()
      assert.match(readEntry(server, {}, { [file]: 'two\nlines' }).problems.join('\n'), /one line|sk_/)
    })
  })

describe('Stripe alone', () => {
  const server = stripe

  test('a session of test mode proves nothing to an entry that is live', async () => {
    const { external_id } = await opened(server).createSession(SESSION)
    server.decide(external_id, 'pass')
    const live = { entry: { test_mode: false }, secrets: { 'stripe-key': 'rk_live_51Pretend0000000000' } }
    // The key of the fake is a test key, so the live one is swapped on the way.
    const call: Outbound = (url, request) =>
      loopback(url, {
        ...request,
        headers: { ...request?.headers, authorization: 'Bearer rk_test_51Pretend0000000000' },
      })
    const failure = await failureOf(opened(server, { ...live, call }).fetchDecision(external_id, undefined))
    assert.equal(failure.reason, 'malformed')
  })

  test('a session in processing cannot be redacted yet', async () => {
    const provider = opened(server)
    const { external_id } = await provider.createSession({ ...SESSION, attempt: 4 })
    server.decide(external_id, 'pending')
    assert.ok(provider.redact)
    assert.equal((await failureOf(provider.redact(external_id))).reason, 'refused')
    server.decide(external_id, 'pass')
    await provider.redact(external_id)
    assert.ok(server.isRedacted(external_id))
  })

  test('events about other objects name no session and do not fail', () => {
    const body = JSON.stringify({
      id: 'evt_9',
      type: 'payment_intent.created',
      data: { object: { id: 'pi_9' } },
    })
    const event = opened(server).readCallback(
      Buffer.from(body),
      signed(caseOf(server), server.webhook_secret, body),
    )
    assert.deepEqual(event, { event_id: 'evt_9', external_id: 'pi_9' })
  })
})

describe('Persona alone', () => {
  const server = persona

  test('only statuses and checks are asked for', async () => {
    const provider = opened(server)
    const { external_id } = await provider.createSession(SESSION)
    await provider.fetchDecision(external_id, undefined)
    const query = server.calls.at(-1)?.query
    assert.deepEqual(Object.fromEntries(query ?? []), {
      include: 'verifications',
      'fields[inquiry]': 'status',
      'fields[verification/government-id]': 'status,checks',
      'fields[verification/selfie]': 'status,checks',
    })
  })

  test('a completed inquiry waits for its approval, unless the operator accepts completion', async () => {
    const { external_id } = await opened(server).createSession(SESSION)
    const included = [{ type: 'verification/government-id', id: 'ver_1', attributes: { status: 'passed' } }]
    const data = { type: 'inquiry', id: external_id, attributes: { status: 'completed' } }
    const statusWith = async (entry: ProviderJson, body: unknown) => {
      server.instead = () => ({ status: 200, body })
      return (await opened(server, { entry }).fetchDecision(external_id, undefined)).status
    }
    assert.equal(await statusWith({}, { data, included }), 'pending')
    assert.equal(await statusWith({ accept_completed: true }, { data, included }), 'pass')
    assert.equal(await statusWith({ accept_completed: true }, { data, included: [] }), 'pending')
  })

  test('a check of a selfie that failed as a whole proves nothing', async () => {
    const { external_id: id } = await opened(server).createSession({ ...SESSION, attempt: 5 })
    const checks = [{ name: 'selfie_liveness_detection', status: 'passed' }]
    const included = [{ type: 'verification/selfie', id: 'ver_1', attributes: { status: 'failed', checks } }]
    const data = { type: 'inquiry', id, attributes: { status: 'approved' } }
    server.instead = () => ({ status: 200, body: { data, included } })
    const decision = await opened(server).fetchDecision(id, undefined)
    assert.equal(decision.checks.liveness, undefined)
  })
})

describe('Onfido alone', () => {
  const server = onfido

  test('the link has the language of the session', async () => {
    await opened(server).createSession(SESSION)
    assert.match(server.calls.at(-1)?.body ?? '', /"language":"de_DE"/)
  })

  test('an applicant without a workflow run is deleted', async () => {
    const other = '6a3c9b1e-0000-4000-8000-00000000ffff'
    const failure = await failureOf(opened(server, { entry: { workflow_id: other } }).createSession(SESSION))
    assert.equal(failure.reason, 'refused')
    assert.deepEqual(
      server.calls.slice(-3).map(({ method, path }) => `${method} ${path.replace(/[0-9a-f-]{36}/, '…')}`),
      ['POST /v3.6/applicants', 'POST /v3.6/workflow_runs', 'DELETE /v3.6/applicants/…'],
    )
  })

  test('an event of a task names its workflow run', async () => {
    const provider = opened(server)
    const { external_id } = await provider.createSession(SESSION)
    const object = { id: 'face_check_1a2b', workflow_run_id: external_id }
    const body = JSON.stringify({ payload: { resource_type: 'workflow_task', object } })
    const event = provider.readCallback(
      Buffer.from(body),
      signed(caseOf(server), server.webhook_secret, body),
    )
    assert.equal(event?.external_id, external_id)
  })
})

describe('Veriff alone', () => {
  const server = veriff

  test('an approval without its code or against its own insights is a review', async () => {
    const { external_id: id } = await opened(server).createSession(SESSION)
    const statusOf = async (members: ProviderJson) => {
      const verification = { id, status: 'approved', code: 9001, ...members }
      server.instead = () => ({ status: 200, body: { status: 'success', verification } })
      return (await opened(server).fetchDecision(id, undefined)).status
    }
    assert.equal(await statusOf({}), 'pass')
    assert.equal(await statusOf({ code: 9121 }), 'review')
    assert.equal(await statusOf({ code: '9001' }), 'review')
    assert.equal(await statusOf({ insights: [{ label: 'faceLiveness', result: 'no' }] }), 'review')
    assert.equal(await statusOf({ insights: [{ label: 'constructor', result: 'no' }, null, 7] }), 'pass')
  })

  test('an event of the flow names its session as a decision does', async () => {
    const provider = opened(server)
    const { external_id } = await provider.createSession(SESSION)
    const body = JSON.stringify({
      id: external_id,
      attemptId: 'a',
      feature: 'selfid',
      code: 7002,
      action: 'submitted',
    })
    const event = provider.readCallback(
      Buffer.from(body),
      signed(caseOf(server), server.webhook_secret, body),
    )
    assert.equal(event?.external_id, external_id)
  })
})

describe('a described provider alone', () => {
  test('a time in a header is signed with the body, and must be recent and single', () => {
    const provider = opened(described, {
      entry: {
        timestamp_header: 'x-time',
        signature_prefix: 'sha256=',
        tolerance_s: 60,
        event_id_pointer: '/event',
      },
    })
    const body = '{"event":"e-1","case":{"id":"c-1"}}'
    const sent = (seconds: number, signed_s = seconds): CallbackHeaders => {
      const [time_s, mac_s] = [seconds, signed_s].map((more) => Math.floor(NOW_MS / 1000) + more)
      const mac = createHmac('sha256', described.webhook_secret).update(`${mac_s}.${body}`).digest('hex')
      return { 'x-time': [`${time_s}`], 'x-described-signature': [`sha256=${mac}`] }
    }
    const read = (headers: CallbackHeaders) => provider.readCallback(Buffer.from(body), headers)
    assert.deepEqual(read(sent(0)), { event_id: 'e-1', external_id: 'c-1' })
    const { 'x-time': time = [], 'x-described-signature': [mac = ''] = [] } = sent(0)
    const refused: readonly CallbackHeaders[] = [
      sent(-61),
      sent(61),
      sent(0, 1),
      { ...sent(0), 'x-time': [...time, ...time] },
      { ...sent(0), 'x-time': ['now'] },
      { ...sent(0), 'x-time': undefined },
      { ...sent(0), 'x-described-signature': [mac.replace('sha256=', '')] },
    ]
    for (const headers of refused) assert.equal(read(headers), undefined, JSON.stringify(headers))
  })

  test('an ID that would lead to another path is refused', async () => {
    for (const id of ['..', '.', 'a/b', 'a?b', '', 'ä', 'x'.repeat(201)]) {
      described.instead = () => ({ status: 201, body: { case: { id, page: 'https://pages.example/1' } } })
      assert.equal((await failureOf(opened(described).createSession(SESSION))).reason, 'malformed', id)
    }
  })
})

describe("the providers' own packages", () => {
  interface CallbackVector {
    readonly name: string
    readonly body: string
    readonly header: string
    readonly secret: string
    readonly received_at: number
    readonly valid: boolean
  }
  const vectors = readVector<Record<'stripe' | 'onfido', CallbackVector[]>>('idv-callbacks/callbacks.json')
  const files = { stripe: 'stripe-webhook', onfido: 'onfido-webhook' } as const
  const headers = { stripe: 'stripe-signature', onfido: 'x-sha2-signature' } as const

  for (const kind of ['stripe', 'onfido'] as const)
    test(`take and refuse the same callbacks of ${kind} as we do`, () => {
      const server = kind === 'stripe' ? stripe : onfido
      assert.ok(vectors[kind].some(({ valid }) => valid) && vectors[kind].some(({ valid }) => !valid))
      for (const { name, body, header, secret, received_at, valid } of vectors[kind]) {
        const { entries } = readEntry(server, {}, { [files[kind]]: secret })
        const provider = entries[0]?.open({
          name: 'id-check',
          call: loopback,
          clock: () => received_at * 1000,
          public_url: () => '',
          derivedSecret: () => '',
        })
        const event = provider?.readCallback(Buffer.from(body), { [headers[kind]]: [header] })
        assert.equal(event !== undefined, valid, name)
      }
    })
})

test('every example in the guide is a file that the service takes', () => {
  const guide = readFileSync(new URL('../../../docs/guides/identity-providers.md', import.meta.url), 'utf8')
  const blocks = [...guide.matchAll(/```json\n(.*?)```/gs)].map(([, text = '']) => text)
  const secrets: Readonly<Record<string, string>> = {
    'stripe.key': 'rk_live_1',
    'onfido.token': 'api_live.1',
  }
  const read = blocks.map((text) => readExternals(text, (file) => secrets[file] ?? `secret-of-${file}`))
  assert.deepEqual(
    read.flatMap(({ problems }) => problems),
    [],
  )
  const kinds = new Set(read.flatMap(({ entries }) => entries.map(({ kind }) => kind)))
  for (const { server } of PROVIDERS) assert.ok(kinds.has(server.kind), server.kind)
})
