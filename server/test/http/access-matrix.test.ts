import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import {
  ACCESS,
  type Access,
  OPERATIONS,
  type Operation,
  type OperationId,
  type Reach,
  type Subject,
} from '@deputize/protocol'
import { EXAMPLES } from '@deputize/protocol/examples'
import { type Answer, aTestApp } from '@deputize/testing/a-test-app.ts'
import {
  aChannel,
  aKeyedWorld,
  aWebhook,
  type CallerName,
  type KeyedWorld,
  PLACES,
  type Place,
} from './a-keyed-world.ts'

const ROWS = Object.entries<Operation>(OPERATIONS) as [OperationId, Operation][]

/** What each kind of caller can reach, written by hand and independent of the table. */
const REACHED: Readonly<Record<Reach, Readonly<Partial<Record<CallerName, readonly Place[]>>>>> = {
  any: everyCaller(['own', 'below', 'tenant', 'foreign']),
  deployment: { first_operator: [], first_auditor: [] },
  tenant: {
    ...everyCaller(['own', 'below', 'tenant']),
    first_operator: [],
    first_auditor: [],
  },
  own: { human: ['own', 'below'], agent: ['own'] },
  opened: { agent: ['own'] },
  below: { agent: ['own', 'below'] },
  workflow: { agent: ['own', 'below'] },
  audience: { resource_server: ['own', 'below'] },
  presented: { resource_server: ['own'] },
}

function everyCaller(places: readonly Place[]): Partial<Record<CallerName, readonly Place[]>> {
  return {
    operator: places,
    developer: places,
    auditor: places,
    resource_server: places,
    human: places,
    agent: places,
    first_operator: places,
    first_auditor: places,
  }
}

const ROLE_OF = {
  operator: 'operator',
  developer: 'developer',
  auditor: 'auditor',
  resource_server: 'resource_server',
  human: 'human',
  agent: 'agent',
  first_operator: 'operator',
  first_auditor: 'auditor',
} as const

type Verdict = 'yes' | '401' | 'role' | 'unknown' | 'not_yours'

/** The expected answer for a caller and an object. Without a place, the call names no object. */
function expected(row: Access, caller: CallerName, place: Place | undefined): Verdict {
  if (row.public === true) return 'yes'
  if (caller === 'anonymous') return '401'
  const reach = row[ROLE_OF[caller]]
  if (reach === undefined) return 'role'
  const isFirst = caller === 'first_operator' || caller === 'first_auditor'
  if (reach === 'deployment') return isFirst ? 'yes' : 'role'
  if (place === undefined || reach === 'any') return 'yes'
  const kind = row.about?.kind
  if (kind === 'agent') return 'yes' // a name always means an agent of the caller's own tenant
  if (kind === 'tenant' && caller === 'first_operator') return 'yes'
  if (kind === 'key' && caller === 'first_operator') return place === 'unknown' ? 'unknown' : 'yes'
  if (REACHED[reach][caller]?.includes(place) === true) return 'yes'
  if (reach === 'presented' || (kind === 'token' && reach === 'own' && caller === 'agent')) return 'not_yours'
  return 'unknown'
}

function verdictOf({ status, body }: Answer): Verdict {
  if (status === 401) return '401'
  if (status === 403 && body.code === 'role_not_allowed') return 'role'
  if (status === 403 && body.code === 'not_yours') return 'not_yours'
  // OAuth errors: the token in the body is a credential, and it lacks its proof.
  if (status === 400 && body.error === 'invalid_dpop_proof') return '401'
  if (status === 400 && body.error === 'unauthorized_client') return 'role'
  if (status === 404 && String(body.code).endsWith('_unknown')) return 'unknown'
  assert.ok(status < 500, JSON.stringify(body))
  return 'yes'
}

/** Calls an operation with its example input, on the object in a place. */
async function ask(
  world: KeyedWorld,
  id: OperationId,
  caller: CallerName,
  place: Place | undefined,
): Promise<Answer> {
  const row: Operation = OPERATIONS[id]
  const { about } = ACCESS[id]
  const thing = await thingIn(world, place, about?.kind)
  const named = { ...DEFAULT_PARAMS }
  const body: unknown = structuredClone(EXAMPLES[id]?.body)
  let path = `${row.path}${QUERIES[id] ?? ''}`
  if (id === 'withdrawSigningKey') named.kid = world.app.test.context.keys.prepareRotation().kids.statements
  if (about !== undefined && thing !== undefined) {
    const [where, ...steps] = about.at.split('/').slice(1)
    if (where === 'params') named[String(steps[0])] = thing
    if (where === 'body') put(body, steps, thing)
    if (where === 'query') path += `?${steps[0]}=${thing}`
  }
  path = path.replaceAll(/\{(\w+)\}/g, (_, name) => encodeURIComponent(named[name] ?? ''))
  if (id === 'issueL1') put(body, ['developer_email'], 'alice@example.com')
  if (id === 'vouch') Object.assign(Object(body), { from: undefined, to: 'agent:bobs-bot' })
  if (id === 'revokeOauthToken') put(body, ['token'], world.agent.compact_jwt)
  if (id === 'exchangeToken') put(body, ['subject_token'], world.agent.compact_jwt)
  const content = row.form === true ? String(new URLSearchParams(body as Record<string, string>)) : body
  return world.clients[caller].call(
    row.method,
    path.replace('%2F', '/'),
    row.body === undefined ? undefined : content,
  )
}

/** A call can delete its key, channel or webhook, so each call gets its own. */
async function thingIn(
  { things, app }: KeyedWorld,
  place: Place | undefined,
  kind: Subject['kind'] | undefined,
): Promise<string | undefined> {
  if (place === undefined || kind === undefined) return undefined
  if (kind === 'channel' && place !== 'unknown')
    return aChannel(app, things[place].tenant, things[place].human)
  if (kind === 'webhook' && place !== 'unknown') return aWebhook(app, things[place].tenant)
  if (kind !== 'key' || place === 'unknown') return things[place][kind]
  return (await app.key(things[place].tenant, 'auditor')).split('_')[1]
}

/** Other input that makes a call valid. */
const QUERIES: Readonly<Partial<Record<OperationId, string>>> = {
  exportWorkflow: '?format=ndjson',
  getInclusionProof: '?index=0&size=1',
  getConsistencyProof: '?from=1&to=2',
}

const DEFAULT_PARAMS: Record<string, string> = {
  level: '0',
  index: '0',
  name: 'SOC2',
  id: 'lgn_none',
  subject: 'nobody',
  event_id: 'evt_0',
  session_id: '0'.repeat(43),
}

function put(target: unknown, [step, ...rest]: readonly string[], value: string): void {
  if (step === undefined || typeof target !== 'object' || target === null) return
  if (step === '*') for (const item of target as unknown[]) put(item, rest, value)
  else if (rest.length === 0) Object.assign(target, { [step]: value })
  else put((target as Record<string, unknown>)[step], rest, value)
}

const CALLERS = Object.keys({ anonymous: '', ...ROLE_OF }) as CallerName[]

function casesOf(id: OperationId): { caller: CallerName; place: Place | undefined }[] {
  const places = ACCESS[id].about === undefined ? [undefined] : PLACES
  return CALLERS.flatMap((caller) => places.map((place) => ({ caller, place })))
}

/** Open mode has no safety desk: a program that a coercer runs must learn nothing. */
function isOfTheDesk(id: OperationId): boolean {
  const { about: _about, safety, ...others } = ACCESS[id]
  return safety !== undefined && Object.keys(others).length === 0
}

/**
 * Operations that redirect, or whose result depends on the person's own input. For verification sessions, whose nonce is
 * a credential, see biometric-access.test.ts; for streams, which belong to the tenant that made them, signals.test.ts.
 */
const ELSEWHERE: readonly OperationId[] = [
  'setUp',
  'signInWithKey',
  'signInWithPasskey',
  'beginKeyPasskey',
  'finishKeyPasskey',
  'deleteKeyPasskey',
  'endSignIn',
  'getLogin',
  'issueL2',
  'startLogin',
  'beginStepUp',
  'revokeOauthToken',
  'createVerificationSession',
  'createHostedSession',
  'previewHostedSession',
  'openHostedSession',
  'transferHostedSession',
  'watchHostedSession',
  'collectHostedSession',
  'answerStep',
  'beginSessionPasskey',
  'getVerificationSession',
  'cancelVerificationSession',
  'capture',
  'enroll',
  'readStreams',
  'updateStream',
  'deleteStream',
  'getStreamStatus',
  'updateStreamStatus',
  'addStreamSubject',
  'removeStreamSubject',
  'verifyStream',
  'pollStream',
]

/** Operations after which a person has to sign in again. */
const SIGNS_OUT: readonly OperationId[] = ['eraseHuman', 'revokeHuman', 'deletePasskey', 'logOut']

/** Operations for signed-in people, which open mode does not have. */
const OF_PEOPLE: readonly OperationId[] = [
  'beginPasskey',
  'finishPasskey',
  'logOut',
  'signInWithKey',
  'signInWithPasskey',
  'beginKeyPasskey',
  'finishKeyPasskey',
  'beginStepUp',
  'finishStepUp',
]

describe('the access table', () => {
  test('refuses every caller it does not name, and a refusal changes nothing', async (context) => {
    const world = await aKeyedWorld(context)
    const told = async () =>
      (await world.app.test.leafTexts()).filter((leaf) => !leaf.includes('registry.changed'))
    const size = (await told()).length
    let cases = 0
    for (const [id] of ROWS) {
      for (const { caller, place } of casesOf(id)) {
        const wanted = expected(ACCESS[id], caller, place)
        if (wanted === 'yes') continue
        const answer = await ask(world, id, caller, place)
        assert.equal(
          verdictOf(answer),
          wanted,
          `${id} by ${caller} about ${place}: ${JSON.stringify(answer.body)}`,
        )
        cases += 1
        if (cases % 40 === 0) world.app.test.clock.advance(60_000) // stay below the limit for failed attempts
      }
    }
    assert.equal((await told()).length, size)
    context.diagnostic(`${cases} refusals`)
    assert.ok(cases > 1000)
  })

  test('admits every caller it names', async (context) => {
    const shared = await aKeyedWorld(context)
    let cases = 0
    for (const [id] of ROWS.filter(([id]) => !ELSEWHERE.includes(id))) {
      const allowed = casesOf(id).filter(
        ({ caller, place }) => place !== 'unknown' && expected(ACCESS[id], caller, place) === 'yes',
      )
      for (const { caller, place } of allowed) {
        const world = SIGNS_OUT.includes(id) ? await aKeyedWorld(context) : shared
        const answer = await ask(world, id, caller, place)
        const isNamed = ACCESS[id].about?.kind === 'agent' || place === 'foreign'
        const verdict = isNamed && answer.body?.code === 'agent_unknown' ? 'yes' : verdictOf(answer)
        assert.equal(verdict, 'yes', `${id} by ${caller} about ${place}: ${JSON.stringify(answer.body)}`)
        cases += 1
        if (cases % 40 === 0) world.app.test.clock.advance(1_000)
      }
    }
    context.diagnostic(`${cases} calls let in`)
    assert.ok(cases > 300)
  })

  test('does not apply in open mode: local callers may call all but the safety desk operations', async (context) => {
    const { app } = await aTestApp(context)
    for (const [id, row] of ROWS.filter(([id]) => !OF_PEOPLE.includes(id))) {
      const path = row.path.replaceAll(/\{(\w+)\}/g, (_, name) => DEFAULT_PARAMS[name] ?? 'x')
      const isForm = row.form === true
      const body = isForm
        ? String(new URLSearchParams(EXAMPLES[id]?.body as Record<string, string>))
        : JSON.stringify(EXAMPLES[id]?.body)
      const response = await app.inject({
        method: row.method,
        url: path,
        ...(row.body !== undefined && {
          headers: { 'content-type': isForm ? 'application/x-www-form-urlencoded' : 'application/json' },
          payload: body,
        }),
      })
      assert.notEqual(response.statusCode, 401, id)
      assert.equal(response.body.includes('role_not_allowed'), isOfTheDesk(id), id)
    }
  })
})
