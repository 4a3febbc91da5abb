import assert from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { OPERATIONS, type Operation, type OperationId } from '@deputize/protocol'
import type { Answer } from '@deputize/testing/a-test-app.ts'
import { anIssueRequest } from '@deputize/testing/an-issue-request.ts'
import { eventually } from '@deputize/testing/eventually.ts'
import { httpClient } from '@deputize/testing/http-client.ts'
import { aProgram, type Program } from '@deputize/testing/program.ts'
import { temporaryDirectory } from '@deputize/testing/scope.ts'
import fastify from 'fastify'
import { answerError } from '../../src/http/answers.ts'
import { LoadShedder, loadConfigOf, shedLoad } from '../../src/http/load/load-shedding.ts'

/** More calls than a gauge considers few. */
const MANY = 300
/** Fewer than the maximum number of connections per address. */
const CALLERS = 400

/** A server whose calls to /held are answered when the test releases them. */
async function aServer(t: TestContext) {
  const shed: string[] = []
  const held: (() => void)[] = []
  let store_wait_ms = 0
  const app = fastify()
  t.after(() => app.close())
  shedLoad(
    app,
    new LoadShedder({
      longest_wait_ms: 80,
      storeWaitMs: () => store_wait_ms,
      onShed: (rank) => shed.push(rank),
    }),
  )
  app.setErrorHandler((error, request, reply) => answerError(error, request, reply))
  app.get(
    '/held',
    { config: { load_rank: 'read' } },
    () => new Promise((resolve) => held.push(() => resolve('late'))),
  )
  app.get('/read', { config: { load_rank: 'read' } }, () => 'read')
  app.post('/stop', { config: { load_rank: 'stop' } }, () => 'stopped')
  app.get('/probe', () => 'alive')
  const client = httpClient(t, await app.listen({ host: '127.0.0.1', port: 0 }), MANY * 2)
  return {
    client,
    shed,
    release: () => {
      for (const answer of held.splice(0)) answer()
    },
    held: () => held.length,
    setStoreWait: (ms: number) => {
      store_wait_ms = ms
    },
  }
}

const refusedBy = (what: string, send: () => Promise<Answer>) =>
  eventually(what, async () => {
    const answer = await send()
    return answer.status === 503 && answer
  })

describe('a server with more calls under way than it can answer in time', () => {
  test('refuses calls with a retry time, except stops and probes, until it has caught up', async (t) => {
    const { client, shed, release, held } = await aServer(t)
    const waiting = Array.from({ length: MANY }, () => client.get('/held'))
    await eventually('all calls wait', () => held() === MANY)
    const refused = await refusedBy('a read is refused', () => client.get('/read'))
    assert.equal(refused.body.code, 'overloaded')
    assert.equal(refused.headers['retry-after'], '1')
    assert.equal((await client.post('/stop', {})).status, 200)
    assert.equal((await client.get('/probe')).status, 200)
    release()
    assert.deepEqual([...new Set((await Promise.all(waiting)).map(({ status }) => status))], [200])
    assert.equal((await client.get('/read')).status, 200)
    assert.ok(shed.every((rank) => rank === 'read'))
  })

  test('refuses calls while the store is too slow for them, and answers again afterwards', async (t) => {
    const { client, setStoreWait } = await aServer(t)
    setStoreWait(1_000)
    await refusedBy('a read is refused', () => client.get('/read'))
    setStoreWait(0)
    assert.equal((await client.get('/read')).status, 200)
  })

  test('refuses no call because of one large batch while few calls are under way', async (t) => {
    const { client, setStoreWait } = await aServer(t)
    setStoreWait(80)
    for (let n = 0; n < 20; n++) assert.equal((await client.get('/read')).status, 200)
  })

  test('refuses a caller with many calls under way, and still answers other callers and stops', async (t) => {
    const { client, setStoreWait, release, held } = await aServer(t)
    const flooding = { authorization: 'Bearer flooding' }
    const waiting = Array.from({ length: MANY }, () => client.get('/held', flooding))
    await eventually('all calls wait', () => held() === MANY)
    setStoreWait(9) // a read may wait 10 ms
    await refusedBy('the first caller is refused', () => client.get('/read', flooding))
    const other = { authorization: 'Bearer other' }
    assert.equal((await client.get('/read', other)).status, 200)
    await refusedBy('the first caller is refused again', () => client.get('/read', flooding))
    assert.equal((await client.post('/stop', {}, flooding)).status, 200)
    release()
    await Promise.all(waiting)
  })
})

/** Stops the program until all callers wait for it. On a fast machine, it would answer faster than they call. */
async function letCallsPileUp({ process }: Program): Promise<void> {
  process.kill('SIGSTOP')
  await sleep(50)
  process.kill('SIGCONT')
}

test('an overloaded service refuses some calls, answers the rest, and still revokes a token', async (t) => {
  const program = await aProgram(t, temporaryDirectory(t), { DEPUTY_MAX_WAIT_MS: '1' })
  const { post, get } = httpClient(t, program.url, CALLERS)
  const urgent = httpClient(t, program.url, 1)
  const issued = await Promise.all([1, 2].map(() => urgent.post('/v1/vat/issue/l1', anIssueRequest())))
  const [first, second] = issued.map(({ body }) => body.jti)
  const action = { vat_jti: first, action: 'read', resource: 'calendar:events', result: 'success' }
  let isOver = false
  const statuses = new Set<number>()
  const callers = Array.from({ length: CALLERS }, async () => {
    while (!isOver) {
      const { status, body } = await post('/v1/vat/record/action', action)
      statuses.add(status)
      if (status === 503) assert.equal(body.code, 'overloaded')
    }
  })
  await eventually('some calls are refused', async () => {
    await letCallsPileUp(program)
    return statuses.has(503)
  })
  assert.equal((await urgent.post('/v1/vat/revoke', { vat_jti: second })).status, 200)
  isOver = true
  await Promise.all(callers)
  assert.deepEqual([...statuses].sort(), [200, 503])
  assert.equal((await post('/v1/vat/record/action', action)).status, 200)
  assert.match((await get('/metrics')).body, /deputy_shed_calls_total\{rank="record"\} [1-9]/)
})

test('stops rank above completions, which rank above authorizations, records and reads', () => {
  const ranks = Object.entries<Operation>(OPERATIONS).map(
    ([id, row]) => [id as OperationId, row, loadConfigOf(id as OperationId, row).load_rank] as const,
  )
  const rankOf = (wanted: string) => ranks.find(([id]) => id === wanted)?.[2]
  for (const [id, { lane, method }, rank] of ranks) {
    assert.equal(rank === 'stop', lane === 'stop', id)
    if (rank === 'read') assert.equal(method, 'GET', id)
  }
  assert.deepEqual(
    ['revokeToken', 'completeRecord', 'authorize', 'delegate', 'recordAction', 'listTokens', 'getHealth'].map(
      rankOf,
    ),
    ['stop', 'complete', 'authorize', 'authorize', 'record', 'read', undefined],
  )
})
