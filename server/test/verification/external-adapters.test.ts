import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { describe, test } from 'node:test'
import type { ProviderJson } from '@deputize/testing/idv/identity-server.ts'
import { readVector } from '@deputize/testing/read-vector.ts'
import type { Outbound } from '../../src/outbound/outbound.ts'
import type { CallbackHeaders } from '../../src/verification/external/port.ts'
import { readExternals } from '../../src/verification/external/read-external.ts'
import {
  caseOf,
  described,
  failureOf,
  loopback,
  NOW_MS,
  onfido,
  opened,
  PROVIDERS,
  persona,
  readEntry,
  SESSION,
  signed,
  stripe,
  veriff,
} from './an-external-provider.ts'

describe('Stripe', () => {
  const server = stripe

  test('a session of test mode proves nothing to an entry that is live', async () => {
    const { external_id } = await opened(server).createSession(SESSION)
    server.decide(external_id, 'pass')
    const live = { entry: { test_mode: false }, secrets: { 'stripe-key': 'rk_live_51Pretend0000000000' } }
    // The fake has a test key, so the live key is replaced on the way.
    const call: Outbound = (url, request) =>
      loopback(url, {
        ...request,
        headers: { ...request?.headers, authorization: 'Bearer rk_test_51Pretend0000000000' },
      })
    const failure = await failureOf(opened(server, { ...live, call }).fetchDecision(external_id, undefined))
    assert.equal(failure.reason, 'malformed')
  })

  test('a session that is being processed cannot be redacted yet', async () => {
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

describe('Persona', () => {
  const server = persona

  test('only statuses and checks are requested', async () => {
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

  test('a passed check of a selfie that failed as a whole proves nothing', async () => {
    const { external_id: id } = await opened(server).createSession({ ...SESSION, attempt: 5 })
    const checks = [{ name: 'selfie_liveness_detection', status: 'passed' }]
    const included = [{ type: 'verification/selfie', id: 'ver_1', attributes: { status: 'failed', checks } }]
    const data = { type: 'inquiry', id, attributes: { status: 'approved' } }
    server.instead = () => ({ status: 200, body: { data, included } })
    const decision = await opened(server).fetchDecision(id, undefined)
    assert.equal(decision.checks.liveness, undefined)
  })
})

describe('Onfido', () => {
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

describe('Veriff', () => {
  const server = veriff

  test('an approval without its code, or against its own insights, is a review', async () => {
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

  test('an event of the flow names its session like a decision', async () => {
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

describe('a described provider', () => {
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
    test(`accept and refuse the same callbacks of ${kind} as the service`, () => {
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

test('the service accepts every example in the guide', () => {
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
