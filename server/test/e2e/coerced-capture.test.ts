import assert from 'node:assert/strict'
import { text } from 'node:stream/consumers'
import { after, type TestContext, test } from 'node:test'
import { type Engine, makeTemplate, type Step, type StepEvidence, type Template } from '@deputize/biometrics'
import { aDevice } from '@deputize/testing/a-device.ts'
import { aServer } from '@deputize/testing/a-server.ts'
import { type Answer, TEST_URL } from '@deputize/testing/a-test-app.ts'
import { eventually } from '@deputize/testing/eventually.ts'
import type { Performance } from '@deputize/testing/puppet/a-puppet.ts'
import { aRememberingPuppet } from '@deputize/testing/puppet/a-remembering-puppet.ts'
import { puppetRecording, theRealEngine } from '@deputize/testing/puppet/puppet-engine.ts'
import type { TestScope } from '@deputize/testing/scope.ts'
import { storeTemplate } from '../../src/operations/identity/biometric-entries.ts'
import { acceptedConsent } from '../../src/operations/verification/biometric-sessions/biometric-consent.ts'
import {
  findSession,
  saveSession,
} from '../../src/operations/verification/biometric-sessions/capture-sessions.ts'
import { isAlertSent } from '../../src/operations/verification/duress/safety-outbox.ts'
import { aCaptureSession, letTimePass, SESSIONS } from '../a-capture.ts'
import { agentOf, aKeyedApp, anAgentKey, aPerson, type Client } from '../http/a-keyed-app.ts'
import { shapeOfMetrics } from '../shape-of-metrics.ts'

const ALICE = { tenant_id: 'acme', human_ref: `sha256:${'a'.repeat(64)}` }
const SIGN = {
  word: 'butterfly',
  gesture: 'thumbs_up',
  contacts: ['Ada Lovelace, +44 20 7946 0000'],
} as const

/** The same steps in every run, so that only the sign differs. */
const STEPS: readonly Step[] = [
  { kind: 'neutral' },
  { kind: 'move', movement: 'turn_left' },
  { kind: 'move', movement: 'look_up' },
  { kind: 'move', movement: 'turn_right' },
  { kind: 'speak', digits: '407185' },
  { kind: 'gesture', gesture: 'victory' },
  {
    kind: 'flash',
    slot_ms: 350,
    colors: ['red', 'green', 'blue', 'red', 'black', 'green', 'blue', 'red', 'green', 'black', 'blue', 'red'],
  },
]

const READ = { action: 'read', resource: 'calendar:events' }
const BUY = { action: 'buy', resource: 'shop:orders', spend_usd: 20 }

/** The lowest rate that every check accepts. */
const FPS = 8

const puppet = await aRememberingPuppet({ avatar: 5, voice: 'robert', seed: 1, fps: FPS })

/** What Alice does in a step, identical to the byte each time. */
async function acted(step: Step, how?: Performance) {
  const shown = { ...step, step_id: '', duration_ms: 0 }
  const { step_id: _, ...recording } = await puppetRecording(puppet, shown, how)
  return recording
}
type Recording = Awaited<ReturnType<typeof acted>>

async function analysed(engine: Engine, step: Step, recording: Recording, prior: readonly StepEvidence[]) {
  const { frames, audio, device } = recording
  return engine.analyseStep(
    { step, media: { frames, sound: audio, device }, prior, duress: { ...SIGN, is_decoy: false } },
    'test',
  )
}

async function templateOfAlice(engine: Engine, recordings: readonly Recording[]): Promise<Template> {
  const evidence: StepEvidence[] = []
  for (const [i, step] of STEPS.entries()) {
    const recording = recordings[i]
    if (recording !== undefined && (step.kind === 'neutral' || step.kind === 'speak'))
      evidence.push(await analysed(engine, step, recording, evidence))
  }
  assert.deepEqual(
    evidence.map(({ duress }) => duress),
    [false, false],
  )
  return makeTemplate(evidence, 'test') ?? assert.fail('no template')
}

interface World {
  readonly engine: Engine
  readonly template: Template
  /** What Alice sends without a sign, and with her word. */
  readonly calm: readonly Recording[]
  readonly coerced: readonly Recording[]
}

async function aReceiver(scope: TestScope) {
  const received: string[] = []
  const url = await aServer(scope, async (request, response) => {
    received.push(await text(request))
    response.writeHead(204).end()
  })
  return { received, url }
}

/** Confirms one of Alice's calls with a passkey on a software device. */
async function confirmed(client: Client, operation: string, body: object): Promise<string> {
  const device = aDevice(TEST_URL)
  const passkeys = '/v1/vat/auth/passkeys/register'
  const asked = await client.post(`${passkeys}/options`)
  const added = await client.post(`${passkeys}/verify`, { response: device.create(asked.body.options) })
  assert.equal(added.status, 201, JSON.stringify(added.body))
  const { body: question } = await client.post('/v1/vat/auth/step-up/options', { operation, body })
  const response = device.get(question.options, { counter: 1 })
  return (await client.post('/v1/vat/auth/step-up/verify', { response })).body.grant
}

/** Runs a service in which Alice has a template and a sign, verifies herself and gets a token for her agent. */
async function aRun(context: TestContext, { engine, template }: World, recordings: readonly Recording[]) {
  const { received, url } = await aReceiver(context)
  const lines: string[] = []
  const app = await aKeyedApp(context, {
    engine,
    l3_passkey: 'optional',
    safety_url: url,
    onLog: (line) => lines.push(line),
  })
  const { test: service } = app
  await app.operator.post('/v1/vat/tenants', { tenant_id: ALICE.tenant_id })
  const consent = acceptedConsent({ version: '1' }, service.context)
  await storeTemplate(ALICE, { template, consent }, service.context)
  const { client } = await aPerson(app, ALICE.tenant_id, ALICE.human_ref)
  const grant = await confirmed(client, 'setDuress', SIGN)
  const set = await client.call('PUT', '/v1/vat/auth/duress', SIGN, { 'deputy-step-up': grant })
  assert.equal(set.status, 200, JSON.stringify(set.body))

  const answers: Answer[] = []
  const post = async (path: string, body: object) => {
    const answer = await client.post(path, body)
    answers.push(answer)
    return answer
  }
  const { session_id, nonce } = await aCaptureSession(post, { purpose: 'verify' })
  const session = (await findSession(session_id, service.context)) ?? assert.fail('no session')
  const { progress } = session
  assert.ok(
    await saveSession(
      { ...session, progress: { ...progress, steps: STEPS } },
      progress.reveals,
      service.context,
    ),
  )
  for (const i of STEPS.keys()) {
    letTimePass(service, { duration_ms: 5000 })
    const answer = await post(`${SESSIONS}/${session_id}/steps`, {
      nonce,
      step_id: `st_${i + 1}`,
      ...recordings[i],
    })
    assert.equal(answer.body.accepted, true, JSON.stringify(answer.body))
  }
  const key = anAgentKey()
  const judged = await post('/v1/vat/auth/capture', {
    session_id,
    nonce,
    agent_id: 'calendar-bot',
    agent_jwk: key.jwk,
    resources: ['calendar:events', 'shop:orders'],
    actions: ['read', 'buy', 'delegate'],
  })
  assert.equal(judged.body.passed, true, JSON.stringify(judged.body))
  const { verification_id, token } = judged.body
  await eventually('the verification to be dealt with', () =>
    isAlertSent(verification_id, service.context.ephemeral),
  )
  return {
    app,
    client,
    lines,
    received,
    answers,
    verification_id,
    session_id,
    agent: agentOf(app, token, key),
  }
}
type Run = Awaited<ReturnType<typeof aRun>>

/** Masks random parts: IDs, digests, signatures and keys. Except for request IDs, the length stays the same. */
function masked(value: unknown): string {
  return textOf(value)
    .replace(/\bkey:[\w-]{8}/g, 'key:xxxxxxxx')
    .replace(/\breq_\w+/g, 'REQUEST') // counted in the process, which both runs share
    .replace(/(?<![A-Za-z0-9+/])[A-Za-z0-9+/]{43}=/g, 'h'.repeat(44))
    .replace(/[A-Za-z0-9_-]{16,}/g, (found) =>
      /^[a-z]+([_-][a-z]+)*$/.test(found) ? found : 'x'.repeat(found.length),
    )
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}

/** Zeroes the measurements, which differ between recordings, for callers who can see them. */
function withoutMeasures(value: string): string {
  return value
    .replace(/"measures":\{[^}]*\}/g, (found) => found.replace(/:-?[\d.e-]+/g, ':0'))
    .replace(/"score":[\d.e-]+/g, '"score":0')
}

/** An answer without its random parts. The length of a problem depends on its request ID, so it is left out. */
function shapeOf(path: string, { status, headers, body }: Answer) {
  const { date: _, 'content-length': length, ...rest } = headers
  const named = Object.entries(rest).map(([name, value]) => `${name}: ${masked(String(value))}`)
  return {
    path,
    status,
    headers: named.sort(),
    length: status < 400 ? length : undefined,
    body: masked(body),
  }
}

/** Everything that Alice, or a person who coerces her, can read with her session, her phone and the token. */
async function seenByAlice({ client, agent, answers, verification_id, session_id }: Run) {
  const { human_ref } = ALICE
  const paths = [
    '/me',
    '/v1/vat/auth/me',
    `/v1/vat/tokens/${agent.jti}`,
    `/v1/vat/tokens/${agent.jti}/chain`,
    `/v1/vat/tokens?human_ref=${human_ref}`,
    `/v1/vat/humans/${human_ref}`,
    `/v1/vat/humans/${human_ref}/export`,
    `/v1/vat/auth/biometrics/${human_ref}`,
    `/v1/vat/auth/biometrics/${human_ref}/export`,
    `/v1/vat/auth/verifications?human_ref=${human_ref}`,
    `/v1/vat/auth/verifications/${verification_id}`,
    `${SESSIONS}/${session_id}`,
    '/v1/vat/approvals',
    '/v1/vat/denials',
    '/v1/vat/workflows',
    '/v1/vat/auth/duress-alerts',
  ]
  const read: Answer[] = []
  for (const path of paths) read.push(await client.get(path))
  read.push(await agent.client.post('/v1/vat/authorize', { vat_jti: agent.jti, ...READ }))
  return [...answers, ...read].map((answer, i) => shapeOf(masked(paths[i - answers.length] ?? ''), answer))
}

async function seenByOthers({ app, agent, verification_id }: Run) {
  const { human_ref, tenant_id } = ALICE
  const seen: unknown[] = []
  for (const role of ['operator', 'auditor', 'developer'] as const) {
    const client = app.withKey(await app.key(tenant_id, role))
    for (const path of [
      `/v1/vat/auth/verifications/${verification_id}`,
      `/v1/vat/auth/verifications?human_ref=${human_ref}`,
      `/v1/vat/humans/${human_ref}/export`,
      `/v1/vat/tokens/${agent.jti}`,
      `/v1/vat/aar/provenance/${agent.provenance_ref}/export?format=ndjson`,
      '/v1/vat/auth/duress-alerts',
      '/v1/vat/tenants/acme',
    ]) {
      const { status, headers, body } = await client.get(path)
      seen.push({
        role,
        path: masked(path),
        status,
        headers: Object.keys(headers).sort(),
        body: masked(withoutMeasures(textOf(body))),
      })
    }
  }
  return seen
}

async function seenInside({ app: { test, operator }, lines }: Run) {
  const logged = lines.map((line) => masked(line).replace(/"(time|responseTime)":[\d.]+/g, '"$1":0'))
  const metrics = shapeOfMetrics(String((await operator.get('/metrics')).body))
  const sizes = await test.rows(
    `SELECT 'token' AS kind, length(inner_limits) AS size FROM tokens UNION ALL SELECT kind, length(document) FROM registry WHERE kind IN ('review', 'biometric') ORDER BY 1, 2`,
  )
  return [...logged, metrics, ...(await test.leafTexts()).map(masked), sizes]
}

const engine = await theRealEngine({ after })

async function aWorld(): Promise<World> {
  const [calm, coerced]: [Recording[], Recording[]] = [[], []]
  for (const step of STEPS) {
    const recording = await acted(step)
    calm.push(recording)
    const how = { deceit: 'duress_word', word: SIGN.word } as const
    coerced.push(step.kind === 'speak' ? await acted(step, how) : recording)
  }
  return { engine, template: await templateOfAlice(engine, calm), calm, coerced }
}

async function everythingSeen(run: Run): Promise<unknown[]> {
  return [...(await seenByAlice(run)), ...(await seenByOthers(run)), ...(await seenInside(run))]
}

/** The number of frames from which the judge counts a sign as shown. */
const ASKED_FRAMES = 3

/** The second half of one recording, then all of another: a hand that shows two signs in turn. */
function inTurn(first: Recording, second: Recording): Recording {
  const shown = first.frames.slice(first.frames.length / 2)
  const [from_ms, until_ms] = [shown.at(0)?.t_ms ?? 0, shown.at(-1)?.t_ms ?? 0]
  const pause_ms = until_ms - from_ms + 80
  return {
    ...second,
    frames: [
      ...shown.map(({ t_ms, jpeg }) => ({ t_ms: t_ms - from_ms, jpeg })),
      ...second.frames.map(({ t_ms, jpeg }) => ({ t_ms: t_ms + pause_ms, jpeg })),
    ],
  }
}

test('a gesture in addition to the requested one counts as the sign, and the real engine sees both', {
  timeout: 600_000,
}, async () => {
  const step = { kind: 'gesture', gesture: 'victory' } as const
  const asked = await acted(step)
  const sign = await acted(step, { deceit: 'duress_gesture', gesture: SIGN.gesture })
  const [calm, coerced] = [
    await analysed(engine, step, asked, []),
    await analysed(engine, step, inTurn(sign, asked), []),
  ]
  assert.deepEqual([calm.duress, coerced.duress], [false, true])
  for (const { vision } of [calm, coerced]) {
    const asked_frames = vision.gestures.filter((seen) => seen === step.gesture).length
    assert.ok(asked_frames >= ASKED_FRAMES, JSON.stringify(vision.gestures))
  }
})

test('a word that the real engine hears is visible only to the safety desk, limits the token, and is reported once', {
  timeout: 600_000,
}, async (context) => {
  const world = await aWorld()
  const [calm, coerced] = [await aRun(context, world, world.calm), await aRun(context, world, world.coerced)]
  const [expected, found] = [await everythingSeen(calm), await everythingSeen(coerced)]
  for (const [i, seen] of found.entries()) assert.deepEqual(seen, expected[i])
  assert.equal(found.length, expected.length)
  assert.deepEqual([await mayBuy(calm), await mayBuy(coerced)], [true, false])
  for (let n = 0; n < 3; n++) coerced.app.test.context.verification.onSafetyNote()
  assert.deepEqual(calm.received, [])
  assert.deepEqual(
    coerced.received.map((alert) => JSON.parse(alert).data),
    [{ ...ALICE, verification_id: coerced.verification_id, contacts: SIGN.contacts }],
  )
})

/** True if the token may buy, false if the purchase is held for review. */
async function mayBuy({ agent }: Run): Promise<boolean> {
  const { body } = await agent.client.post('/v1/vat/authorize', { vat_jti: agent.jti, ...BUY })
  assert.equal(body.reason, body.authorized ? undefined : 'approval_required', JSON.stringify(body))
  return body.authorized
}
