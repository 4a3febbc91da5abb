import assert from 'node:assert/strict'
import { copyFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, describe, type TestContext, test } from 'node:test'
import { isSameIssuer } from '@deputize/protocol'
import { aDatabase, command } from '@deputize/testing/a-database.ts'
import type { Answer } from '@deputize/testing/a-test-app.ts'
import { anIssueRequest } from '@deputize/testing/an-issue-request.ts'
import { eventually } from '@deputize/testing/eventually.ts'
import type { HttpClient } from '@deputize/testing/http-client.ts'
import { aProgram, refusedStart } from '@deputize/testing/program.ts'
import { temporaryDirectory } from '@deputize/testing/scope.ts'
import { someNodes } from '@deputize/testing/some-nodes.ts'

const CALLERS = 64

async function ok(answer: Promise<Answer>): Promise<Answer['body']> {
  const { status, body } = await answer
  assert.equal(status, 200, JSON.stringify(body))
  return body
}

const anAction = (vat_jti: string, changes: Record<string, unknown> = {}) => ({
  vat_jti,
  action: 'read',
  resource: 'calendar:events',
  ...changes,
})

const { url, nodes } = await someNodes({ after }, 2)
const [one, two] = nodes
assert.ok(one !== undefined && two !== undefined)
const here = one.client
const there = two.client

const issue = async (client: HttpClient, constraints: Record<string, unknown> = {}) =>
  ok(client.post('/v1/vat/issue/l1', anIssueRequest({ constraints })))

async function checkpointSize(client: HttpClient): Promise<number> {
  return Number(String((await client.get('/checkpoint')).body).split('\n')[1])
}

describe('two nodes on one database', () => {
  test('print where their store is, but never a password', () => {
    const { host, pathname } = new URL(url)
    for (const { program } of nodes) {
      assert.ok(program.output().includes(`at ${host}${pathname}`), program.output())
      assert.match(program.output(), /store\S*\s+PostgreSQL \d+/)
    }
  })

  test('are one deployment with one log', async () => {
    const wellKnown = (client: HttpClient) => ok(client.get('/.well-known/deputy.json'))
    const [a, b] = await Promise.all([wellKnown(here), wellKnown(there)])
    assert.ok(isSameIssuer(a.issuer, b.issuer), `${a.issuer} ${b.issuer}`) // each at its own port
    assert.deepEqual(a.log, b.log)
  })

  test('agree on which of them writes for all', async () => {
    const leases = async () => {
      const pages = await Promise.all([here, there].map((client) => client.get('/metrics')))
      return pages.map(({ body }) => Number(/^deputy_clerk_lease (\d)$/m.exec(String(body))?.[1]))
    }
    await eventually('one of them writes', async () => (await leases()).toSorted().join() === '0,1')
  })

  test('refuse a token as soon as its revocation on another node is answered', async () => {
    for (let round = 0; round < 10; round += 1) {
      const [from, to] = round % 2 === 0 ? [here, there] : [there, here]
      const { jti, compact_jwt } = await issue(from)
      await ok(to.post('/v1/vat/record/action', anAction(jti, { result: 'success' })))
      await ok(from.post('/v1/vat/revoke', { vat_jti: jti }))
      const answer = await to.post('/v1/vat/record/action', anAction(jti, { result: 'success' }))
      assert.deepEqual([answer.status, answer.body.code], [403, 'not_allowed'])
      const verdict = await ok(to.post('/v1/vat/verify', { compact_jwt }))
      assert.equal(verdict.valid, false)
    }
  })

  test('answer a repeated request the same on another node', async () => {
    const key = { 'Idempotency-Key': 'once-and-for-all' }
    const first = await here.post('/v1/vat/issue/l1', anIssueRequest(), key)
    const again = await there.post('/v1/vat/issue/l1', anIssueRequest(), key)
    assert.equal(first.status, 200)
    assert.equal(again.body.jti, first.body.jti)
    const keys = Array.from({ length: 20 }, (_, index) => ({ 'Idempotency-Key': `race-${index}` }))
    for (const headers of keys) {
      const both = await Promise.all(
        [here, there].map((client) => client.post('/v1/vat/issue/l1', anIssueRequest(), headers)),
      )
      assert.equal(both[0]?.body.jti, both[1]?.body.jti)
    }
  })

  test(`keep a budget when ${CALLERS} callers spend it on both at once`, async () => {
    const { jti } = await issue(here, { max_spend_usd: 1 })
    const answers = await Promise.all(
      Array.from({ length: CALLERS }, (_, caller) =>
        (caller % 2 === 0 ? here : there).post(
          '/v1/vat/record/action',
          anAction(jti, { result: 'success', spend_usd: 0.05 }),
        ),
      ),
    )
    assert.equal(answers.filter(({ status }) => status === 200).length, 20)
    assert.equal(answers.filter(({ status }) => status === 403).length, CALLERS - 20)
    for (const client of [here, there])
      assert.equal((await ok(client.get(`/v1/vat/tokens/${jti}/budget`))).spent_usd, 1)
  })

  test('accept an approval that was decided on another node, but only once', async () => {
    const { jti } = await issue(here, { require_approval: { actions: ['read'] } })
    const { approval_id } = await ok(here.post('/v1/vat/authorize', anAction(jti)))
    await ok(there.post(`/v1/vat/approvals/${approval_id}/approve`, {}))
    const uses = await Promise.all(
      [here, there, here, there].map((client) =>
        client.post('/v1/vat/authorize', anAction(jti, { approval_id })),
      ),
    )
    assert.equal(uses.filter(({ body }) => body.authorized === true).length, 1)
  })

  test('give every token its own index in the status list', async () => {
    const jtis = await Promise.all(
      Array.from({ length: 40 }, (_, index) => issue(index % 2 === 0 ? here : there)),
    )
    const places = jtis.map(({ compact_jwt }) => {
      const [, payload = ''] = compact_jwt.split('.')
      return JSON.parse(Buffer.from(payload, 'base64url').toString()).status.status_list.idx
    })
    assert.equal(new Set(places).size, 40)
  })

  test('verify a token that another node signed with a new key', async () => {
    const { kid } = (await here.post('/v1/vat/signing-keys/rotate', {})).body
    const { compact_jwt } = await issue(here)
    assert.equal(kidOf(compact_jwt), kid)
    assert.equal((await ok(there.post('/v1/vat/verify', { compact_jwt }))).valid, true)
    await eventually(
      'the other node signs with the new key',
      async () => kidOf((await issue(there)).compact_jwt) === kid,
    )
  })

  test('publish the same checkpoints, about one per second in total', async () => {
    await issue(here)
    await issue(there)
    const began = Date.now()
    const signed = async (): Promise<number> => {
      const sql = 'SELECT count(*)::int AS count FROM checkpoints WHERE signed_at_ms >= $1'
      return (await command(url, sql, [began]))[0].count
    }
    const count = await eventually('six checkpoints', async () => {
      await issue(here)
      await issue(there)
      const found = await signed()
      return found >= 6 && found
    })
    // There would be twice as many if each node signed its own. A pause of the machine only makes them fewer.
    const seconds = (Date.now() - began) / 1000
    assert.ok(count <= seconds + 2, `${count} checkpoints in ${seconds} seconds`)
    const [{ size }] = await command(url, 'SELECT count(*)::int AS size FROM leaves')
    for (const client of [here, there])
      await eventually(
        'a node follows the newest checkpoint',
        async () => (await checkpointSize(client)) === size,
      )
  })
})

function kidOf(compact_jwt: string): string {
  const [header = ''] = compact_jwt.split('.')
  return JSON.parse(Buffer.from(header, 'base64url').toString()).kid
}

describe('a node', () => {
  test('that is killed does not stop the others, and recovers', async (context) => {
    const { nodes, aNode } = await someNodes(context, 2)
    const [killed, left] = nodes
    assert.ok(killed !== undefined && left !== undefined)
    const { jti } = await issue(killed.client)
    const calls = Array.from({ length: 50 }, () =>
      killed.client.post('/v1/vat/record/action', anAction(jti, { result: 'success' })).then(
        ({ status }) => status,
        () => 0,
      ),
    )
    await Promise.race(calls)
    await killed.program.kill()
    const acknowledged = (await Promise.all(calls)).filter((status) => status === 200).length
    const { total } = await recordsOf(left.client, jti)
    assert.ok(total >= acknowledged, `${acknowledged} were acknowledged, ${total} are there`)
    await issue(left.client)
    const before = await checkpointSize(left.client)
    await issue(left.client)
    await eventually('checkpoints go on', async () => (await checkpointSize(left.client)) > before)
    const back = await aNode(killed.directory)
    assert.equal((await recordsOf(back.client, jti)).total, total)
  })

  test('whose own checkpoint is ahead of the database does not start', async (context) => {
    const { env, nodes, aNode } = await someNodes(context, 1)
    const [node] = nodes
    assert.ok(node !== undefined)
    await issue(node.client)
    assert.equal(await node.program.stop(), 0)
    const other = await aDatabase(context) // as after a failover to an older copy
    const fresh = { ...env, DEPUTY_DATABASE_URL: other }
    const begun = await aProgram(context, temporaryDirectory(context), fresh)
    await begun.stop()
    await command(other, 'ALTER TABLE sealed_keys DISABLE TRIGGER ALL')
    const [{ sealed }] = await command(env.DEPUTY_DATABASE_URL, 'SELECT sealed FROM sealed_keys')
    const [{ value }] = await command(
      env.DEPUTY_DATABASE_URL,
      `SELECT value FROM deployment WHERE name = 'instance'`,
    )
    await command(other, 'UPDATE sealed_keys SET sealed = $1', [sealed])
    await command(other, `DELETE FROM deployment WHERE name = 'vault'`)
    await command(other, `UPDATE deployment SET value = $1 WHERE name = 'instance'`, [value])
    const { code, output } = await refusedStart(node.directory, fresh)
    assert.equal(code, 78, output)
    assert.match(output, /holds 0 log entries, but a checkpoint over 1 was signed/)
    await aNode(node.directory)
  })

  test('stops instead of signing another history when the database loses published entries', async (context) => {
    const { url, nodes } = await someNodes(context, 1)
    const [node] = nodes
    assert.ok(node !== undefined)
    await issue(node.client)
    await issue(node.client)
    await eventually('both are signed for', async () => (await checkpointSize(node.client)) === 2)
    const ended = new Promise<number | null>((resolve) => node.program.process.once('exit', resolve))
    await command(
      url,
      `BEGIN; ALTER TABLE leaves DISABLE TRIGGER ALL; ALTER TABLE checkpoints DISABLE TRIGGER ALL;
       DELETE FROM leaves; DELETE FROM checkpoints; UPDATE log_head SET frontier = '\\x0000000000000000'; COMMIT`,
    )
    assert.equal(await ended, 70)
    assert.match(
      node.program.output(),
      /A checkpoint over 2 log entries was signed, but the store holds only 0/,
    )
  })

  test('does not start without the master key of its deployment', async (context) => {
    const { env, nodes } = await someNodes(context, 1)
    const { DEPUTY_MASTER_KEY_FILE, ...rest } = env
    const directory = temporaryDirectory(context)
    const { code, output } = await refusedStart(directory, rest)
    assert.equal(code, 78, output)
    assert.match(output, /Copy master\.key from another node/)
    copyFileSync(DEPUTY_MASTER_KEY_FILE, join(directory, 'master.key'))
    await aProgram(context, directory, rest)
    assert.equal(nodes.length, 1)
  })

  test('reports an unreachable database in one sentence, with exit code 70', async (context: TestContext) => {
    const DEPUTY_DATABASE_URL = 'postgres://me:hunter2@127.0.0.1:9/deputy'
    const { code, output } = await refusedStart(temporaryDirectory(context), { DEPUTY_DATABASE_URL })
    assert.equal(code, 70, output)
    assert.match(
      output,
      /^Deputy cannot start\.\n {2}- The database at 127\.0\.0\.1:9\/deputy cannot be reached/,
    )
    assert.doesNotMatch(output, /hunter2/)
  })
})

async function recordsOf(client: HttpClient, vat_jti: string): Promise<{ total: number }> {
  const { provenance_ref } = await ok(client.get(`/v1/vat/tokens/${vat_jti}`))
  const { total_records } = await ok(client.get(`/v1/vat/aar/provenance/${provenance_ref}`))
  return { total: total_records }
}
