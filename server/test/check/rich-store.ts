import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { type Answer, aTestApp, type TestApp } from '@deputize/testing/a-test-app.ts'
import { anIssueRequest } from '@deputize/testing/an-issue-request.ts'
import { anL3Token } from '@deputize/testing/an-l3-token.ts'
import type { Postgres } from '@deputize/testing/postgres.ts'
import type { TestScope } from '@deputize/testing/scope.ts'
import type { RegisterCommand } from '../../src/clerk/command.ts'
import { HOLDS_EVERYTHING } from '../../src/domain/tokens/inner-limits.ts'
import { readKeyFile } from '../../src/keys/key-file.ts'
import { makeMasterKey } from '../../src/keys/master-key.ts'
import { FIRST_REVISION, sealDocument } from '../../src/keys/shared-keys.ts'
import type { OperationCall } from '../../src/operations/operation-context.ts'
import { openConnection } from '../../src/store/postgres/connect.ts'
import { sealedKeysTable } from '../../src/store/postgres/sealed-keys.ts'
import { reserveStatusPlaces } from '../../src/store/postgres/status-places.ts'
import { aPostgres } from '../contract/a-postgres.ts'
import { aDeveloper, aHuman, aResourceServer, aReviewDesk, callerOf } from '../some-callers.ts'
import { withStore } from './edits.ts'

const MINUTE_MS = 60_000
const DAY_MS = 24 * 3600 * 1000

export interface RichStore {
  readonly directory: string
}

/** A closed data directory with rows in every table, signed up to its last leaf. */
export async function aRichStore(scope: TestScope): Promise<RichStore> {
  const directory = await everythingHappened(scope, undefined, copyWithSums)
  for (const name of ['deputy.db-wal', 'deputy.db-shm']) rmSync(join(directory, name), { force: true })
  renameSync(join(directory, CRASHED), join(directory, 'deputy.db'))
  withStore(join(directory, 'deputy.db'), (db) => db.exec('PRAGMA wal_checkpoint(TRUNCATE)')) // into one file
  return { directory }
}

const CRASHED = 'crashed.db'

/** Copies the store while the sums of its last actions are deferred, as after a crash. Closing would write them. */
async function copyWithSums(service: TestApp, call: Post): Promise<void> {
  await leaveSums(service, call)
  withStore(join(service.directory, 'deputy.db'), (db) =>
    db.exec(`VACUUM INTO '${join(service.directory, CRASHED)}'`),
  )
}

/** Acts once more, so that the sums of the last actions are deferred. */
async function leaveSums(service: TestApp, call: Post): Promise<void> {
  const { jti } = await token(call)
  await service.get('/v1/vat/reputation/agent:last') // reading writes the sums deferred so far
  const last = (resource: string) =>
    service.post('/v1/vat/record/action', { vat_jti: jti, action: 'read', resource, result: 'success' })
  for (const resource of ['calendar:last', 'calendar:very-last']) {
    const { body } = await last(resource)
    assert.equal((await service.get(`/v1/vat/aar/${body.aar_id}/receipt`)).status, 200) // signs a checkpoint
  }
}

export interface RichDatabase extends RichStore {
  readonly url: string
  readonly server: Postgres
}

const PLACES_AT_A_TIME = 1_000

/** The same on a separate PostgreSQL. The directory is a node's: it holds the checkpoint and the master key. */
export async function aRichDatabase(scope: TestScope): Promise<RichDatabase> {
  const { server, database } = await aPostgres(scope)
  const url = await database()
  const directory = await everythingHappened(scope, url, leaveSums)
  const client = await openConnection(url, 'test', () => {})
  await reserveStatusPlaces(client, PLACES_AT_A_TIME) // as a node does before it issues tokens
  const keys = sealDocument(
    makeMasterKey(join(directory, 'master.key')),
    readKeyFile(directory).document,
    FIRST_REVISION,
  )
  assert.ok(await sealedKeysTable(client, 'the test').create(keys))
  await client.end()
  return { directory, url, server }
}

async function everythingHappened(
  scope: TestScope,
  database_url: string | undefined,
  atTheEnd: (service: TestApp, call: Post) => Promise<void>,
): Promise<string> {
  const service = await aTestApp(scope, database_url === undefined ? {} : { database_url })
  const call = caller(service)
  await delegations(service, call)
  await actions(service, call)
  await overruns(call)
  await approvals(service, call)
  await limits(service, call)
  await standings(call)
  await afterADay(service, call)
  await entries(service)
  await sessions(service)
  await vouches(service, call)
  await erasures(service, call)
  await anotherTenant(service)
  await grants(call)
  await endorsements(service)
  await reviews(service)
  await observations(service, call)
  await alerts(service, call)
  await manyRecords(call)
  await atTheEnd(service, call)
  await service.close()
  return service.directory
}

type Post = (path: string, body?: unknown, headers?: Record<string, string>) => Promise<Answer['body']>

/** Returns a function for calls that must not fail. Now and then it gets a receipt, which signs a checkpoint. */
function caller(service: TestApp): Post {
  let calls = 0
  return async (path, body = {}, headers = {}) => {
    const answer = await service.post(path, body, headers)
    assert.ok(answer.status < 400, `${path} ${JSON.stringify(answer.body)}`)
    calls += 1
    const { aar_id } = answer.body
    if (calls % 3 === 0 && aar_id !== undefined) await service.get(`/v1/vat/aar/${aar_id}/receipt`)
    service.clock.advance(1 + (calls % 5) * 1000)
    return answer.body
  }
}

const SCOPE = { resources: ['calendar:*', 'mail:inbox'], actions: ['read', 'write', 'delegate'] }
const READ = { action: 'read', resource: 'calendar:events' }

function token(call: Post, changes: Record<string, unknown> = {}, headers: Record<string, string> = {}) {
  return call('/v1/vat/issue/l1', anIssueRequest({ ...SCOPE, ...changes }), headers)
}

async function delegations(service: TestApp, call: Post): Promise<void> {
  const root = await token(
    call,
    {
      purpose: 'plan the week',
      constraints: { max_spend_usd: 10, max_actions_per_minute: 50, x_team: 'blue' },
      policy_assertions: ['SOC2'],
    },
    { 'idempotency-key': 'issue-1' },
  )
  const child = await call('/v1/vat/delegate', {
    vat_jti: root.jti,
    agent_id: 'sub-bot',
    resources: ['calendar:events'],
    actions: ['read', 'delegate'],
    constraints: { max_spend_usd: 4, max_actions: 20 },
    purpose: 'read the week',
  })
  const grandchild = await call('/v1/vat/delegate', { vat_jti: child.jti, agent_id: 'leaf-bot' })
  const renewed = await call('/v1/vat/renew', { vat_jti: root.jti, expires_in: 7200 })
  const renewedChild = await call('/v1/vat/renew', { vat_jti: child.jti, expires_in: 600 })
  for (const { jti } of [root, child, grandchild, renewed, renewedChild])
    await call('/v1/vat/record/action', { vat_jti: jti, ...READ, spend_usd: 1, result: 'success' })
  await call('/v1/vat/delegate/preview', { vat_jti: root.jti, agent_id: 'nobody' })
  const form = `grant_type=${encodeURIComponent('urn:ietf:params:oauth:grant-type:token-exchange')}&subject_token=${root.compact_jwt}&subject_token_type=${encodeURIComponent('urn:ietf:params:oauth:token-type:jwt')}&scope=${encodeURIComponent('read@mail:inbox')}&agent_id=exchange-bot`
  const exchanged = await service.post('/oauth/token', form, {
    'content-type': 'application/x-www-form-urlencoded',
  })
  assert.equal(exchanged.status, 200, JSON.stringify(exchanged.body))
}

/** A rule that asks and one that suspends, both fired, and one that was removed. */
async function alerts(service: TestApp, call: Post): Promise<void> {
  const condition = { kind: 'denials', more_than: 2, within_minutes: 5 }
  for (const effect of ['ask', 'suspend'])
    await call('/v1/vat/alerts/rules', { name: effect, condition, effect, agent_id: `${effect}-bot` })
  const gone = await call('/v1/vat/alerts/rules', { name: 'gone', condition, effect: 'notify' })
  await service.delete(`/v1/vat/alerts/rules/${gone.rule_id}`)
  service.clock.advance(MINUTE_MS) // rules begin with the next minute
  for (const agent_id of ['ask-bot', 'suspend-bot']) {
    const { jti } = await token(call, { agent_id })
    for (let denials = 0; denials < 4; denials += 1)
      await service.post('/v1/vat/record/action', {
        vat_jti: jti,
        ...READ,
        action: 'sell',
        result: 'success',
      })
    await service.watchAlerts()
    await service.post('/v1/vat/record/action', { vat_jti: jti, ...READ, result: 'success' })
  }
}

async function actions(service: TestApp, call: Post): Promise<void> {
  const { jti } = await token(call, {
    developer_email: 'b@example.com',
    constraints: { max_spend_usd: 3, max_spend_per_action_usd: 2 },
  })
  const first = await call(
    '/v1/vat/record/action',
    {
      vat_jti: jti,
      ...READ,
      result: 'partial',
      spend_usd: 0.5,
      metadata: { room: 1 },
      result_hash: `sha256:${'a'.repeat(64)}`,
    },
    { 'idempotency-key': 'record-1', traceparent: `00-${'4'.repeat(32)}-${'5'.repeat(16)}-01` },
  )
  const ask = { vat_jti: jti, ...READ, spend_usd: 0.5, parent_aar_id: first.aar_id }
  const open = await call('/v1/vat/authorize', { ...ask, metadata: { room: 2 } })
  const late = await call('/v1/vat/authorize', { ...ask, action: 'write' })
  const cancelled = await call('/v1/vat/authorize', ask)
  await call('/v1/vat/authorize', { ...ask, action: 'delete', metadata: { room: 3 } })
  await call('/v1/vat/authorize', { ...ask, spend_usd: 100 })
  await call('/v1/vat/authorize', { ...ask, dry_run: true })
  await call(`/v1/vat/aar/${open.aar_id}/complete`, {
    result: 'success',
    spend_usd: 2.6,
    metadata: { done: true },
  })
  await call(`/v1/vat/aar/${cancelled.aar_id}/cancel`)
  await call(`/v1/vat/aar/${open.aar_id}/feedback`, { rating: 'flagged', note: 'too dear' })
  await call(`/v1/vat/aar/${late.aar_id}/feedback`, { rating: 'approved' })
  service.clock.advance(16 * MINUTE_MS)
  await service.sweep()
  const after = await token(call, { developer_email: 'b@example.com', agent_id: 'second-bot' })
  const pending = await call('/v1/vat/authorize', { vat_jti: after.jti, ...READ, metadata: { room: 4 } })
  await call('/v1/vat/revoke', { vat_jti: after.jti, reason: 'the laptop was stolen' })
  await call(`/v1/vat/aar/${pending.aar_id}/complete`, { result: 'error' })
  await call(`/v1/vat/aar/${pending.aar_id}/feedback`, { rating: 'rejected', note: 'no' })
  await call('/v1/vat/authorize/batch', {
    items: [{ vat_jti: after.jti, ...READ }],
  })
}

/** Actions that cost more than authorized: tolerated, with a renewed token, and with a suspended one. */
async function overruns(call: Post): Promise<void> {
  const { jti } = await token(call, {
    developer_email: 'h@example.com',
    agent_id: 'dear-bot',
    constraints: { max_spend_usd: 6, max_overrun_pct: 10 },
  })
  const ask = { ...READ, spend_usd: 1 }
  const opened = async (vat_jti: string) =>
    String((await call('/v1/vat/authorize', { vat_jti, ...ask })).aar_id)
  const settled = async (aar_id: string, spend_usd: number) =>
    call(`/v1/vat/aar/${aar_id}/complete`, { result: 'success', spend_usd })
  await settled(await opened(jti), 1.1)
  const renewed = await call('/v1/vat/renew', { vat_jti: jti, expires_in: 7200 })
  const [first, second] = [await opened(renewed.jti), await opened(jti)]
  await settled(first, 1.100001)
  await settled(second, 2)
  await call(`/v1/vat/tokens/${jti}/resume`)
  await settled(await opened(renewed.jti), 1.8)
  await call(`/v1/vat/tokens/${jti}/resume`)
  await call('/v1/vat/authorize', { vat_jti: jti, ...READ }) // the budget is used up
  const gated = await token(call, {
    developer_email: 'h@example.com',
    agent_id: 'dear-bot',
    constraints: { min_reputation: 0.3 },
  })
  await call('/v1/vat/authorize', { vat_jti: gated.jti, ...READ })
}

async function approvals(service: TestApp, call: Post): Promise<void> {
  const { jti, claims } = await token(call, {
    developer_email: 'c@example.com',
    agent_id: 'careful-bot',
    constraints: { require_approval: { auto_approve_after: 1 } },
  })
  const ask = { vat_jti: jti, ...READ }
  const last_request = await call('/v1/vat/authorize', { ...ask, metadata: { guests: 3 } })
  await call(`/v1/vat/approvals/${last_request.approval_id}/approve`, { note: 'go on' })
  await call('/v1/vat/authorize', { ...ask, metadata: { guests: 3 }, approval_id: last_request.approval_id })
  for (const guests of [4, 5]) await habitually(call, { ...ask, metadata: { guests } })
  const writing = { ...ask, action: 'write' }
  const refused = await call('/v1/vat/authorize', { ...writing, spend_usd: 2 })
  const { approval_id } = refused
  await service.submit({ kind: 'escalate_approval', approval_id, to: [`sha256:${'e'.repeat(64)}`] })
  await call(`/v1/vat/approvals/${refused.approval_id}/deny`, { note: 'never' })
  await call('/v1/vat/authorize', { ...writing, spend_usd: 2, approval_id: refused.approval_id })
  const unused = await call('/v1/vat/authorize', { ...writing, resource: 'mail:inbox' })
  await call('/v1/vat/approvals/batch', {
    items: [{ approval_id: unused.approval_id, decision: 'approved' }],
  })
  await call('/v1/vat/approvals/habits/end', {
    agent_id: 'careful-bot',
    human_ref: claims.svc_human_ref,
    action: 'write',
    resource: 'mail:inbox',
  })
  await call('/v1/vat/authorize', { ...writing, spend_usd: 3 })
  service.clock.advance(61 * MINUTE_MS)
  await call('/v1/vat/authorize', { ...writing, spend_usd: 3 }) // the first request has expired
  await call('/v1/vat/authorize', { ...writing, spend_usd: 4 })
}

/** Limits on arguments that deny and allow, and periods that end with open records. */
async function limits(service: TestApp, call: Post): Promise<void> {
  const root = await token(call, {
    developer_email: 'h@example.com',
    agent_id: 'limited-bot',
    expires_in: 7 * 86_400,
    constraints: {
      max_spend_usd_per: { hour: 5, day: 8, time_zone: 'Asia/Kathmandu' },
      arguments: { write: { '/room': { max: 3 } } },
    },
  })
  const child = await call('/v1/vat/delegate', {
    vat_jti: root.jti,
    agent_id: 'limited-sub-bot',
    expires_in: 6 * 86_400,
    constraints: { max_spend_usd_per: { hour: 4 }, arguments: { '*': { '/room': { min: 1 } } } },
  })
  const ask = { vat_jti: child.jti, ...READ, metadata: { room: 2 }, spend_usd: 2 }
  await call('/v1/vat/record/action', { ...ask, result: 'success' })
  const open = await call('/v1/vat/authorize', ask)
  await call('/v1/vat/authorize', ask) // the hour is used up
  await call('/v1/vat/authorize', { ...ask, action: 'write', metadata: { room: 4 } })
  await call('/v1/vat/authorize', { vat_jti: child.jti, ...READ })
  service.clock.advance(10 * MINUTE_MS)
  const late = await call('/v1/vat/authorize', { ...ask, vat_jti: root.jti, spend_usd: 1 })
  service.clock.advance(61 * MINUTE_MS)
  await call(`/v1/vat/aar/${open.aar_id}/complete`, { result: 'success', spend_usd: 1.5 })
  await call('/v1/vat/authorize', { ...ask, spend_usd: 1 })
  await call(`/v1/vat/aar/${late.aar_id}/cancel`)
}

/** Acts until a habit approves. The service picks some requests for a person. */
async function habitually(call: Post, ask: Record<string, unknown>): Promise<void> {
  for (;;) {
    const { authorized, approval_id } = await call('/v1/vat/authorize', ask)
    if (authorized) return
    await call(`/v1/vat/approvals/${approval_id}/approve`)
    await call('/v1/vat/authorize', { ...ask, approval_id })
  }
}

/** Grants that were used, ended, or are in force at the end. */
async function grants(call: Post): Promise<void> {
  const { jti } = await token(call, {
    developer_email: 'i@example.com',
    agent_id: 'granted-bot',
    expires_in: 2_592_000,
    constraints: { require_approval: { auto_approve_after: 2 } },
  })
  for (const resource of ['calendar:first', 'calendar:second', 'calendar:third']) {
    const ask = { vat_jti: jti, action: 'read', resource, spend_usd: 1 }
    const { approval_id } = await call('/v1/vat/authorize', ask)
    const grant = { minutes: 1440, max_spend_usd: 5 }
    await call(`/v1/vat/approvals/${approval_id}/approve`, { grant, note: 'for today' })
    await call('/v1/vat/authorize', ask)
    if (resource === 'calendar:second') await call('/v1/vat/approvals/grants/end', { approval_id })
    if (resource === 'calendar:third') await call('/v1/vat/authorize', { ...ask, spend_usd: 9 })
  }
  await endedByRevocation(call)
}

/** Habits and grants that end with their tokens: one begins anew, and one stays as it was. */
async function endedByRevocation(call: Post): Promise<void> {
  const { jti: root_jti } = await token(call, {
    developer_email: 'i@example.com',
    agent_id: 'granting-bot',
    constraints: { require_approval: { auto_approve_after: 1 } },
  })
  for (const resources of [['calendar:first', 'calendar:second'], ['calendar:first']]) {
    const { jti } = await call('/v1/vat/delegate', { vat_jti: root_jti, agent_id: 'ended-bot' })
    for (const resource of resources) {
      const ask = { vat_jti: jti, action: 'read', resource, spend_usd: 1 }
      const { approval_id } = await call('/v1/vat/authorize', ask)
      const grant = { minutes: 60, max_spend_usd: 9 }
      await call(`/v1/vat/approvals/${approval_id}/approve`, { grant })
      await call('/v1/vat/authorize', ask)
    }
    if (resources.length > 1) await call('/v1/vat/revoke', { vat_jti: jti })
  }
}

/** Vouches in force, changed, withdrawn, expired, replaced and ended by an erasure; anchors; and stored scores. */
async function vouches(service: TestApp, call: Post): Promise<void> {
  const person = async (name: string) => {
    const { claims } = await token(call, {
      developer_email: `${name}@vouch.example`,
      agent_id: `${name}-bot`,
    })
    return String(claims.svc_human_ref)
  }
  const [ada, bea, cid, dot, out] = [
    await person('ada'),
    await person('bea'),
    await person('cid'),
    await person('dot'),
    await person('out'),
  ]
  for (const [index, human_ref] of [ada, bea].entries())
    await service.submit({
      kind: 'begin_session',
      session_key: `vouching-${index}`,
      tenant_id: 'default',
      human_ref,
      assurance_level: index === 0 ? 'L3' : 'L2',
    })
  const asking = await token(call, {
    developer_email: 'dot@vouch.example',
    agent_id: 'asked-bot',
    expires_in: 2_592_000,
    constraints: { min_vouch_score: 0.3 },
  })
  const act = () => service.post('/v1/vat/authorize', { vat_jti: asking.jti, ...READ })
  await act() // no score has been computed yet
  const vouch = (from: string, to: string, more: object = {}) =>
    call('/v1/vat/trust/vouches', { from, to, ...more })
  const first = await vouch(ada, cid, { weight: 0.9, note: 'a colleague for years' })
  await vouch(cid, 'agent:asked-bot', { context: 'calendar', note: 'it never failed me' })
  await vouch(cid, 'agent:asked-bot', {})
  await service.context.trustScores.keepScores()
  await act()
  await vouch(bea, 'agent:asked-bot', { weight: 0.5, note: 'reliable' })
  const soon = { expires_at: new Date(service.clock() + 3_600_000).toISOString() }
  await vouch(ada, 'agent:asked-bot', { ...soon, note: 'for an hour' })
  await service.context.trustScores.keepScores()
  await act()
  service.clock.advance(3_700_000)
  await vouch(ada, 'agent:asked-bot', { weight: 0.4, note: 'again' })
  const patched = await service.app.inject({
    method: 'PATCH',
    url: `/v1/vat/trust/vouches/${first.vouch_id}`,
    headers: { 'content-type': 'application/json' },
    payload: JSON.stringify({ weight: 0.6, expires_at: '2033-01-01T00:00:00Z' }),
  })
  assert.equal(patched.statusCode, 200, patched.body)
  const gone = await vouch(bea, cid, { note: 'not for long' })
  await call(`/v1/vat/trust/vouches/${gone.vouch_id}/withdraw`)
  for (const [human_ref, base] of [
    [bea, 0],
    [cid, 0.4],
    [dot, 0.2],
    [out, 0],
  ] as const)
    await nameAnchor(service, human_ref, base)
  await service.delete(`/v1/vat/trust/anchors/${bea}`)
  await vouch(bea, dot, { note: 'about somebody who leaves' })
  const ended = await vouch(ada, dot, { context: 'ended', note: 'also about them' })
  await call(`/v1/vat/trust/vouches/${ended.vouch_id}/withdraw`)
  await vouch(dot, bea, { note: 'of somebody who leaves' })
  await becomeOwn(service, call, vouch)
  for (const human_ref of [dot, out]) await service.delete(`/v1/vat/humans/${human_ref}`)
  await service.context.trustScores.keepScores()
}

/** Vouches that end because the agent becomes the voucher's own, or because an address turns out to be theirs. */
async function becomeOwn(
  service: TestApp,
  call: Post,
  vouch: (from: string, to: string, more?: object) => Promise<unknown>,
): Promise<void> {
  const acting = async (name: string, agent_id: string) => {
    const { claims } = await token(call, { developer_email: `${name}@vouch.example`, agent_id })
    return String(claims.svc_human_ref)
  }
  const [eve, fay] = [await acting('eve', 'eves-bot'), await acting('fay', 'fays-bot')]
  await vouch(eve, 'agent:fays-bot', { note: 'not mine yet' })
  await acting('eve', 'fays-bot')
  await vouch(fay, eve, { note: 'is that me?' })
  await vouch(fay, 'agent:eves-bot')
  await service.submit({
    kind: 'register',
    entry_kind: 'identity',
    id: fay,
    tenant_id: 'default',
    owner: eve,
    document: '{}',
    expects: 'absent',
  })
}

async function nameAnchor(service: TestApp, human_ref: string, base: number): Promise<void> {
  const named = await service.app.inject({
    method: 'PUT',
    url: `/v1/vat/trust/anchors/${human_ref}`,
    headers: { 'content-type': 'application/json' },
    payload: JSON.stringify({ base, reason: 'known to the board' }),
  })
  assert.equal(named.statusCode, 200, named.body)
}

/** Requests that two people decide: approved, denied, and waiting for the second person. */
async function endorsements(service: TestApp): Promise<void> {
  const keyed = { context: { ...service.context, access: 'keyed' as const } }
  const [anna, bert] = [`sha256:${'a'.repeat(64)}`, `sha256:${'b'.repeat(64)}`] as const
  const people = [anna, bert].map((ref) => callerOf(keyed, aHuman('acme', ref)))
  const developer = callerOf(keyed, aDeveloper('acme'))
  const request = anIssueRequest({
    ...SCOPE,
    agent_id: 'joint-bot',
    agent_jwk: aPublicKey(),
    constraints: { require_approval: { approvers: { count: 2, people: [anna, bert] } } },
  })
  const { jti } = await developer('issueL1', { body: request as OperationCall<'issueL1'>['body'] }) // a valid request body
  for (const n of [1, 2, 3]) {
    const body = { vat_jti: jti, ...READ, metadata: { n } }
    const { approval_id = '' } = await developer('authorize', { body })
    const [first, second] = people
    await first?.('approve', { params: { id: approval_id }, body: { note: 'as agreed' } })
    if (n === 1) await second?.('approve', { params: { id: approval_id }, body: {} })
    if (n === 2) await second?.('deny', { params: { id: approval_id }, body: { note: 'too early' } })
    if (n === 1) await developer('authorize', { body: { ...body, approval_id } })
    service.clock.advance(1000)
  }
  await besidesThePerson(service)
}

/** Requests of a child that names an approver, below a token that asks the person: approved by both, and by one. */
async function besidesThePerson(service: TestApp): Promise<void> {
  const keyed = { context: { ...service.context, access: 'keyed' as const } }
  const named = `sha256:${'c'.repeat(64)}`
  const developer = callerOf(keyed, aDeveloper('acme'))
  const request = anIssueRequest({
    ...SCOPE,
    agent_id: 'asking-bot',
    agent_jwk: aPublicKey(),
    constraints: { require_approval: {} },
  })
  const root = await developer('issueL1', { body: request as OperationCall<'issueL1'>['body'] }) // as above
  const child = await developer('delegate', {
    body: {
      vat_jti: root.jti,
      agent_id: 'asking-bot',
      agent_jwk: aPublicKey(),
      constraints: { require_approval: { approvers: { count: 1, people: [named] } } },
    },
  })
  const deciders = [named, String(root.claims.svc_human_ref)].map((ref) =>
    callerOf(keyed, aHuman('acme', ref)),
  )
  for (const people of [deciders, deciders.slice(0, 1)]) {
    const body = { vat_jti: child.jti, ...READ, metadata: { n: people.length } }
    const { approval_id = '' } = await developer('authorize', { body })
    for (const decide of people) await decide('approve', { params: { id: approval_id }, body: {} })
    const { authorized } = await developer('authorize', { body: { ...body, approval_id } })
    assert.equal(authorized, people.length === 2)
  }
}

/** Actions of L3 tokens that are held for review: approved, denied, waiting, and released with their token. */
async function reviews(service: TestApp): Promise<void> {
  const keyed = { context: { ...service.context, access: 'keyed' as const } }
  const desk = callerOf(keyed, aReviewDesk('default'))
  const agent = callerOf(keyed, aDeveloper('default'))
  await anL3Token(service, { agent_id: 'trusted-bot' })
  const { jti } = await anL3Token(service, { inner_limits: HOLDS_EVERYTHING })
  const child = await service.post('/v1/vat/delegate', { vat_jti: jti, agent_id: 'held-sub-bot' })
  assert.equal(child.status, 201, JSON.stringify(child.body))
  for (const n of [1, 2, 3]) {
    const body = { vat_jti: child.body.jti, action: 'write', resource: 'calendar:events', metadata: { n } }
    const { approval_id = '' } = await agent('authorize', { body })
    if (n === 1) await desk('approve', { params: { id: approval_id }, body: { note: 'called back' } })
    if (n === 1) await agent('authorize', { body: { ...body, approval_id } })
    if (n === 2) await desk('deny', { params: { id: approval_id }, body: {} })
    service.clock.advance(1000)
  }
  const free = await anL3Token(service, { agent_id: 'freed-bot', inner_limits: HOLDS_EVERYTHING })
  const renewed = await service.post('/v1/vat/renew', { vat_jti: free.jti, expires_in: 3000 })
  await service.submit({ kind: 'release', vat_jti: renewed.body.jti })
  await askedAgainAfterRelease(service)
  const buy = { vat_jti: free.jti, action: 'buy', resource: 'shop:orders', spend_usd: 2 }
  assert.equal((await agent('authorize', { body: buy })).authorized, true)
}

/** A request that waits for the review desk, and another one that replaces it after the release. */
async function askedAgainAfterRelease(service: TestApp): Promise<void> {
  const { jti } = await anL3Token(service, {
    agent_id: 'asking-bot',
    inner_limits: HOLDS_EVERYTHING,
    constraints: { require_approval: {} },
  })
  const ask = () =>
    service.post('/v1/vat/authorize', { vat_jti: jti, action: 'write', resource: 'calendar:events' })
  const held = await ask()
  await service.submit({ kind: 'release', vat_jti: jti })
  const open = await ask()
  assert.notEqual(open.body.approval_id, held.body.approval_id)
}

async function standings(call: Post): Promise<void> {
  await call('/v1/vat/agents', { agent_id: 'known-bot', display_name: 'Known', model: 'm-1' })
  await call('/v1/vat/agents', { agent_id: 'quiet-bot', display_name: 'Quiet' })
  const first = await token(call, { developer_email: 'd@example.com', agent_id: 'known-bot' })
  const second = await token(call, { developer_email: 'd@example.com', agent_id: 'third-bot' })
  await call('/v1/vat/record/action', { vat_jti: first.jti, ...READ, result: 'cancelled' })
  await call(`/v1/vat/tokens/${first.jti}/suspend`, { reason: 'a mistake' })
  await call('/v1/vat/authorize', { vat_jti: first.jti, ...READ })
  await call(`/v1/vat/tokens/${first.jti}/resume`)
  await call(`/v1/vat/tokens/${second.jti}/suspend`, { reason: 'it looked strange' })
  await call('/v1/vat/agents/known-bot/suspend', { reason: 'under review' })
  await call('/v1/vat/agents/known-bot/resume')
  await call('/v1/vat/agents/quiet-bot/suspend', { reason: 'too quiet' })
  await call('/v1/vat/revoke/agent', { agent_id: 'known-bot', reason: 'retired' })
  const third = await token(call, { developer_email: 'e@example.com', agent_id: 'known-bot' })
  await call('/v1/vat/revoke/human', { human_ref: third.claims.svc_human_ref, reason: 'left' })
  await token(call, { developer_email: 'e@example.com', agent_id: 'known-bot' })
  const { kid } = await call('/v1/vat/signing-keys/rotate')
  await call(`/v1/vat/signing-keys/${kid}/withdraw`, {
    from: '2027-01-01T00:00:00.000Z',
    reason: 'stolen',
  })
}

/** Registry entries that were added, replaced, removed and added again, with and without an owner. */
async function entries(service: TestApp): Promise<void> {
  const enter = (changes: Partial<RegisterCommand>) =>
    service.submit({
      kind: 'register',
      entry_kind: 'api_key',
      id: 'key_1',
      tenant_id: 'acme',
      owner: undefined,
      document: '{"name":"first"}',
      expects: 'any',
      ...changes,
    })
  await enter({ entry_kind: 'tenant', id: 'acme' })
  await enter({ entry_kind: 'tenant', id: 'other', tenant_id: 'other' })
  await enter({})
  await enter({ document: '{"name":"second"}' })
  await enter({ id: 'key_2', tenant_id: 'other' })
  await enter({ id: 'key_3' })
  await enter({ id: 'key_3', document: undefined })
  await enter({ id: 'key_4' })
  await enter({ id: 'key_4', document: undefined })
  await enter({ id: 'key_4', tenant_id: 'other' })
  const webhook = { entry_kind: 'webhook', id: 'whk_1' } as const
  await enter({ ...webhook, document: '{"url":"https://hooks.example.com/"}' })
  const disabled = { endpoint_id: 'whk_1', tenant_id: 'acme', cause: 'failing' } as const
  await service.submit({ kind: 'endpoint_disabled', ...disabled, entry_kind: 'webhook' })
  const backup = { backed_up_at: '2027-01-01T00:00:00.000Z', origin: 'deputy.example.com/log' }
  await service.submit({ kind: 'restored', ...backup, continues: true, newest_size: undefined })
  await service.submit({ kind: 'restored', ...backup, continues: false, newest_size: 1_000_000 })
  for (const owner of ['sha256:only-here', 'sha256:gone-from-here'])
    for (const entry_kind of ['passkey', 'identity'] as const)
      await enter({ entry_kind, id: `of ${owner}`, owner })
  await service.submit({ kind: 'erase_human', human_ref: 'sha256:gone-from-here' })
  await enter({ entry_kind: 'identity', id: 'of sha256:gone-from-here', owner: 'sha256:only-here' })
  await captures(enter)
  await service.submit({ kind: 'erase_human', human_ref: 'sha256:captured-and-gone' })
}

/** What captures leave behind: a template that was replaced, results, and notes for the safety desk. */
async function captures(enter: (changes: Partial<RegisterCommand>) => Promise<unknown>): Promise<void> {
  for (const owner of ['sha256:captured', 'sha256:withdrawn', 'sha256:captured-and-gone']) {
    const template = { entry_kind: 'biometric', id: `bio of ${owner}`, owner } as const
    await enter({ ...template, document: '{"template":"first"}' })
    await enter({ ...template, document: '{"template":"second"}' })
    for (const n of [1, 2]) {
      await enter({ entry_kind: 'verification', id: `vrf_${n} of ${owner}`, owner, document: `{"n":${n}}` })
      await enter({ entry_kind: 'review', id: `vrf_${n} of ${owner}`, owner, document: `{"note":${n}}` })
      await enter({
        entry_kind: 'external_check',
        id: `check ${n} of ${owner}`,
        owner,
        document: `{"n":${n}}`,
      })
    }
    await enter({
      entry_kind: 'external_check',
      id: `check 1 of ${owner}`,
      owner,
      document: '{"fallen":1}',
      withdraws: 'L3',
    })
    if (owner === 'sha256:withdrawn') await enter({ ...template, document: undefined })
  }
}

/** Sessions that last, that were ended, and that ended with their person; and changes of the access mode. */
async function sessions(service: TestApp): Promise<void> {
  const { create, end } = service.accessControl.sessions
  const begin = (human_ref: string) =>
    create({
      tenant_id: 'acme',
      human_ref,
      human_refs: [human_ref],
      assurance_level: 'L2',
      amr: ['pwd'],
      auth_time_ms: service.clock(),
      sign_on: undefined,
    })
  await begin('sha256:only-here')
  await end((await begin('sha256:only-here')).session.session_key)
  const { session } = await begin('sha256:signed-in-and-gone')
  await service.submit({ kind: 'erase_human', human_ref: 'sha256:signed-in-and-gone' })
  await end(session.session_key)
  const { keySessions } = service.accessControl
  const named = { tenant_id: 'acme', name: 'key:00000001', key_id: '00000001', audience: undefined }
  const holder = { role: 'auditor', ...named } as const
  await keySessions.create(holder)
  await keySessions.end((await keySessions.create(holder)).session, holder)
  for (const mode of ['keyed', 'open', 'keyed'] as const)
    await service.submit({ kind: 'set_access_mode', mode })
}

/** A person who is erased and returns, and a person who is erased permanently. */
async function erasures(service: TestApp, call: Post): Promise<void> {
  for (const email of ['gone@example.com', 'back@example.com']) {
    const mine = { developer_email: email, agent_id: 'their-bot' }
    const { jti, claims } = await token(
      call,
      { ...mine, purpose: 'mine', constraints: { require_approval: { actions: ['write'] } } },
      { 'idempotency-key': email },
    )
    const done = await call('/v1/vat/record/action', {
      vat_jti: jti,
      ...READ,
      result: 'success',
      metadata: { mine: 1 },
    })
    const open = await call('/v1/vat/authorize', { vat_jti: jti, ...READ, metadata: { mine: 2 } })
    await call(`/v1/vat/aar/${done.aar_id}/feedback`, { rating: 'approved', note: 'mine' })
    const last_request = await call('/v1/vat/authorize', {
      vat_jti: jti,
      action: 'write',
      resource: 'mail:inbox',
    })
    await call(`/v1/vat/approvals/${last_request.approval_id}/approve`, { note: 'mine' })
    const erased = await service.delete(`/v1/vat/humans/${claims.svc_human_ref}`)
    assert.equal(erased.status, 200, JSON.stringify(erased.body))
    if (email.startsWith('gone')) continue
    await call(`/v1/vat/aar/${open.aar_id}/complete`, { result: 'success', metadata: { mine: 3 } })
    await token(call, { ...mine, purpose: 'mine again' }, { 'idempotency-key': `${email}-again` })
  }
}

function aPublicKey(): Record<string, unknown> {
  return { ...generateKeyPairSync('ed25519').publicKey.export({ format: 'jwk' }) }
}

/** An agent of another tenant with the same name, and agents that have only been registered. */
async function anotherTenant(service: TestApp): Promise<void> {
  const theirs = callerOf(service, aDeveloper('acme'))
  const body = anIssueRequest({ ...SCOPE, purpose: 'theirs' }) as OperationCall<'issueL1'>['body'] // a valid request body
  const { jti, claims } = await theirs('issueL1', { body })
  const { jti: child } = await theirs('delegate', { body: { vat_jti: jti, agent_id: 'sub-bot' } })
  for (const vat_jti of [jti, child])
    await theirs('recordAction', { body: { vat_jti, ...READ, result: 'success', metadata: { theirs: 1 } } })
  await theirs('registerAgent', { body: { agent_id: 'calendar-bot', display_name: 'Theirs' } })
  const [first, second] = [aPublicKey(), aPublicKey()]
  const bound = anIssueRequest({ ...SCOPE, agent_id: 'keyed-bot', agent_jwk: first })
  await theirs('issueL1', { body: bound as OperationCall<'issueL1'>['body'] }) // a valid request body
  await theirs('registerAgent', { body: { agent_id: 'waiting-bot', add_keys: [aPublicKey()] } })
  await theirs('updateAgent', {
    params: { agent_id: 'keyed-bot' },
    body: { add_keys: [second], owned_by: ['key:8fJ2kLm1', 'agent:waiting-bot', '*'] },
  })
  const { keys = [] } = await theirs('getAgent', { params: { agent_id: 'keyed-bot' } })
  await theirs('updateAgent', { params: { agent_id: 'keyed-bot' }, body: { remove_keys: keys.slice(0, 1) } })
  const refs = ['a', 'b'].map((digit) => `sha256:${digit.repeat(64)}`)
  for (const human_ref of refs) await theirs('refuseTokens', { params: { human_ref } })
  await theirs('acceptTokens', { params: { human_ref: refs[0] ?? '' } })
  await theirs('suspendAgent', { params: { agent_id: 'sub-bot' }, body: {} })
  await theirs('revokeHuman', { body: { human_ref: claims.svc_human_ref } })
  await callerOf(service, aDeveloper('umbrella'))('registerAgent', { body: { agent_id: 'calendar-bot' } })
}

/** Outcomes that a resource server reports for actions of agents, and the reverse. */
async function observations(service: TestApp, call: Post): Promise<void> {
  const { jti } = await token(call, { developer_email: 'g@example.com', agent_id: 'seen-bot' })
  const server = callerOf(service, aResourceServer('default'))
  const ask = { vat_jti: jti, ...READ }
  await server('recordAction', { body: { ...ask, result: 'success' } })
  const opened = async () => {
    const { aar_id = '' } = await server('authorize', { body: ask })
    return aar_id
  }
  await call(`/v1/vat/aar/${await opened()}/complete`, { result: 'success' })
  await call(`/v1/vat/aar/${await opened()}/cancel`)
  await opened()
  const own = async () => String((await call('/v1/vat/authorize', ask)).aar_id)
  await server('completeRecord', { params: { id: await own() }, body: { result: 'error' } })
  await server('cancelRecord', { params: { id: await own() } })
  await opened()
  service.clock.advance(16 * MINUTE_MS)
  await service.sweep()
  await opened()
}

/** Enough leaves for a full tile. */
async function manyRecords(call: Post): Promise<void> {
  const { jti } = await token(call, { developer_email: 'f@example.com', agent_id: 'busy-bot' })
  const items = Array.from({ length: 200 }, (_, n) => ({
    vat_jti: jti,
    ...READ,
    result: n % 3 === 0 ? 'failed' : 'success',
  }))
  await call('/v1/vat/record/batch', { items }, { 'idempotency-key': 'batch-1' })
}

async function afterADay(service: TestApp, call: Post): Promise<void> {
  service.clock.advance(DAY_MS)
  await service.sweep()
  const { jti } = await token(call, { agent_id: 'busy-bot' }, { 'idempotency-key': 'issue-2' })
  await call('/v1/vat/authorize', { vat_jti: jti, ...READ, spend_usd: 1, metadata: { open: true } })
  await call('/v1/vat/authorize', { vat_jti: jti, ...READ, action: 'delete' })
}
