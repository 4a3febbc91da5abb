import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { copyFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, type TestContext, test } from 'node:test'
import { aDatabase, command } from '@deputize/testing/a-database.ts'
import { aReceiver, type Receiver } from '@deputize/testing/a-receiver.ts'
import type { Answer } from '@deputize/testing/a-test-app.ts'
import { anIssueRequest } from '@deputize/testing/an-issue-request.ts'
import { eventually } from '@deputize/testing/eventually.ts'
import { type HttpClient, httpClient } from '@deputize/testing/http-client.ts'
import { aProgram, refusedStart } from '@deputize/testing/program.ts'
import { CLI } from '@deputize/testing/programs.ts'
import { temporaryDirectory } from '@deputize/testing/scope.ts'
import { TABLE_NAMES, TABLES } from '../../server/src/store/tables.ts'

/** Programs choose their ports, and tokens name the address of their issuer. */
const DEPUTY_PUBLIC_URL = 'http://127.0.0.1:8420'

function deputy(...args: string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [CLI, ...args], {
    encoding: 'utf8',
    env: { PATH: process.env.PATH ?? '' },
  })
  return { status, stdout, stderr, all: stdout + stderr }
}

async function made(answer: Promise<Answer>): Promise<Answer['body']> {
  const { status, body } = await answer
  assert.ok(status < 300, JSON.stringify(body))
  return body
}

/** A UUID of version 7: the embedded store keeps such keys in another form. */
const ONCE = { 'Idempotency-Key': '019a94c2-7f10-7abc-8def-0123456789ab' }

/** Creates something of every kind. Returns the paths that show it. */
async function live(client: HttpClient, receiver: Receiver) {
  const issue = (changes = {}) =>
    made(
      client.post('/v1/vat/issue/l1', anIssueRequest({ actions: ['read', 'write', 'delegate'], ...changes })),
    )
  const root = await issue({ purpose: 'to plan the week', constraints: { max_spend_usd: 5 } })
  const delegate = (vat_jti: string, agent_id: string) =>
    made(client.post('/v1/vat/delegate', { vat_jti, agent_id, actions: ['read', 'delegate'] }))
  const child = await delegate(root.jti, 'summary-bot')
  const grandchild = await delegate(child.jti, 'mail-bot')
  const act = (vat_jti: string, changes = {}) => ({
    vat_jti,
    action: 'read',
    resource: 'calendar:events',
    ...changes,
  })
  const record = await made(
    client.post(
      '/v1/vat/record/action',
      act(grandchild.jti, { result: 'success', spend_usd: 0.25, metadata: { note: 'private' } }),
    ),
  )
  for (let index = 0; index < 300; index += 1)
    await made(
      client.post('/v1/vat/record/action', act(child.jti, { result: index % 7 ? 'success' : 'failure' })),
    )
  await made(client.post(`/v1/vat/aar/${record.aar_id}/feedback`, { rating: 'flagged', note: 'hm' }))
  const pending = await made(client.post('/v1/vat/authorize', act(root.jti, { spend_usd: 0.5 })))
  assert.equal(
    (await client.post('/v1/vat/record/action', act(root.jti, { action: 'delete', result: 'success' })))
      .status,
    403,
  )
  const asking = await issue({ constraints: { require_approval: { actions: ['read'] } } })
  const { approval_id } = await made(
    client.post('/v1/vat/authorize', act(asking.jti, { metadata: { a: 1 } })),
  )
  const revoked = await issue({ agent_id: 'old-bot' })
  await made(client.post('/v1/vat/revoke', { vat_jti: revoked.jti, reason: 'no longer needed' }))
  const erased = await issue({ developer_email: 'gone@example.com', purpose: 'to be forgotten' })
  const { human_ref } = await made(client.get(`/v1/vat/tokens/${erased.jti}`))
  await made(client.delete(`/v1/vat/humans/${human_ref}`))
  const { from, score } = await vouches(client, issue)
  const webhook = await aDisabledWebhook(client, receiver)
  await made(client.post('/v1/vat/signing-keys/rotate', {}))
  const replayed = await made(client.post('/v1/vat/issue/l1', anIssueRequest(), ONCE))
  const paths = [
    ...[root, child, grandchild, revoked, erased, asking].map(({ jti }) => `/v1/vat/tokens/${jti}`),
    `/v1/vat/tokens/${root.jti}/chain`,
    `/v1/vat/tokens/${root.jti}/descendants`,
    `/v1/vat/tokens/${root.jti}/budget`,
    `/v1/vat/tokens/${root.jti}/usage`,
    `/v1/vat/aar/${record.aar_id}`,
    `/v1/vat/aar/${record.aar_id}/lineage`,
    `/v1/vat/aar/${pending.aar_id}`,
    `/v1/vat/aar/provenance/${root.provenance_ref}`,
    `/v1/vat/aar/provenance/${root.provenance_ref}/records`,
    `/v1/vat/aar/provenance/${root.provenance_ref}/graph`,
    '/v1/vat/aar?limit=100',
    '/v1/vat/denials',
    '/v1/vat/workflows',
    '/v1/vat/approvals',
    `/v1/vat/approvals/${approval_id}`,
    '/v1/vat/agents',
    '/v1/vat/reputation/summary-bot',
    '/v1/vat/reputation/summary-bot/history',
    '/v1/vat/reputation',
    '/v1/vat/approvals/habits',
    `/v1/vat/humans/${human_ref}`,
    '/v1/vat/trust/vouches',
    `/v1/vat/trust/vouches?from=${from}&standing=true`,
    score,
    webhook,
    `${webhook}/deliveries`,
    '/.well-known/jwks.json',
    '/.well-known/deputy.json',
    '/v1/vat/signing-keys',
    '/tile/0/000',
    '/tile/entries/000',
  ]
  return { paths, replayed, root, revoked, record, approval_id, asking }
}

/** Creates a webhook that its receiver ends. Returns its path. */
async function aDisabledWebhook(client: HttpClient, receiver: Receiver): Promise<string> {
  receiver.answer = () => ({ status: 410 })
  const events = ['token.issued']
  const { webhook_id } = await made(client.post('/v1/vat/webhooks', { url: receiver.url, events }))
  await made(client.post('/v1/vat/issue/l1', anIssueRequest()))
  const path = `/v1/vat/webhooks/${webhook_id}`
  await eventually('the webhook is disabled', async () => {
    const { status, disabled_reason } = await made(client.get(path))
    return status === 'disabled' && disabled_reason === 'gone'
  })
  return path
}

/** Creates a standing vouch and a withdrawn one. Returns the path of a score that follows from the first. */
async function vouches(client: HttpClient, issue: (changes: object) => Promise<Answer['body']>) {
  const { claims } = await issue({ developer_email: 'friend@example.com', agent_id: 'friends-bot' })
  const from = claims.svc_human_ref
  await issue({ agent_id: 'gated-bot', constraints: { min_vouch_score: 0.1 } })
  const vouch = (to: string, more = {}) => made(client.post('/v1/vat/trust/vouches', { from, to, ...more }))
  await vouch('agent:gated-bot', { weight: 0.5, context: 'plans', note: 'plans well' })
  const { vouch_id } = await vouch('agent:gated-bot')
  await made(client.post(`/v1/vat/trust/vouches/${vouch_id}/withdraw`, {}))
  const score = `/v1/vat/trust/scores/agent:gated-bot?as=${from}&context=plans&explain=1`
  const { flow, as_of } = await made(client.get(score))
  assert.equal(flow, 0.4)
  return { from, score: `${score}&at=${as_of.log_size}` }
}

const answersOf = (client: HttpClient, paths: readonly string[]) =>
  Promise.all(
    paths.map(async (path) => {
      const { status, body } = await client.get(path)
      assert.equal(status, 200, `${path} ${JSON.stringify(body)}`)
      return [path, body]
    }),
  )

/** The data directory of a used deployment, with its answers from before it was stopped. */
async function aLivedIn(context: TestContext) {
  const directory = temporaryDirectory(context)
  const receiver = await aReceiver(context)
  const program = await aProgram(context, directory, {
    DEPUTY_PUBLIC_URL,
    DEPUTY_OUTBOUND_ALLOW: receiver.host,
  })
  const client = httpClient(context, program.url)
  const life = await live(client, receiver)
  const before = await answersOf(client, life.paths)
  assert.equal(await program.stop(), 0)
  return { directory, life, before }
}

async function aNode(context: TestContext, directory: string, DEPUTY_DATABASE_URL: string) {
  const program = await aProgram(context, directory, { DEPUTY_DATABASE_URL, DEPUTY_PUBLIC_URL })
  return httpClient(context, program.url)
}

/** A move that is killed while it copies. It may have ended before the kill, so there are several attempts. */
async function aKilledMove(context: TestContext) {
  for (let attempt = 0; attempt < 4; attempt += 1) {
    const lived = await aLivedIn(context)
    const url = await aDatabase(context)
    const child = spawn(process.execPath, [CLI, 'move', '--from', lived.directory, '--to', url], {
      env: { PATH: process.env.PATH ?? '' },
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    child.stderr.on('data', (chunk) => {
      if (String(chunk).includes('copy tokens')) child.kill('SIGKILL')
    })
    await once(child, 'exit')
    if (child.signalCode === 'SIGKILL') return { ...lived, url }
  }
  return assert.fail('no move was killed in time')
}

describe('deputy move', () => {
  test('moves a deployment to a database without changing anything', async (context) => {
    const { directory, life, before } = await aLivedIn(context)
    const url = await aDatabase(context)
    const early = await refusedStart(directory, { DEPUTY_DATABASE_URL: url })
    assert.deepEqual(
      [early.code, /Move it into the database with deputy move/.test(early.output)],
      [78, true],
    )
    const { status, stdout, all } = deputy('move', '--from', directory, '--to', url)
    assert.equal(status, 0, all)
    assert.match(stdout, /Moved to .*every table compared/)

    const refused = await refusedStart(directory)
    assert.equal(refused.code, 78)
    assert.match(refused.output, /moved to 127\.0\.0\.1:\d+\/deputy_test_\w+\. Set DEPUTY_DATABASE_URL/)

    const client = await aNode(context, directory, url)
    for (const [index, answer] of (await answersOf(client, life.paths)).entries())
      assert.deepEqual(answer, before[index])
    assert.deepEqual(await made(client.post('/v1/vat/issue/l1', anIssueRequest(), ONCE)), life.replayed)
    const verdictOn = async ({ compact_jwt }: { compact_jwt: string }) =>
      (await made(client.post('/v1/vat/verify', { compact_jwt }))).valid
    assert.deepEqual([await verdictOn(life.root), await verdictOn(life.revoked)], [true, false])
    await made(client.post(`/v1/vat/approvals/${life.approval_id}/approve`, {}))
    const { jti } = await made(client.post('/v1/vat/issue/l1', anIssueRequest()))
    await made(
      client.post('/v1/vat/record/action', {
        vat_jti: jti,
        action: 'read',
        resource: 'calendar:events',
        result: 'success',
      }),
    )
    const again = deputy('move', '--from', directory, '--to', url)
    assert.deepEqual([again.status, /moved to/.test(again.all)], [78, true])
  })

  test('resumes after a kill, and finishes a move that was killed before its last line', async (context) => {
    const { directory, life, before, url } = await aKilledMove(context)
    const [{ name }] = await command(url, `SELECT name FROM deployment WHERE name = 'moving'`)
    assert.equal(name, 'moving')
    assert.match((await refusedStart(directory)).output, /half moved to/)
    const node = { DEPUTY_DATABASE_URL: url }
    assert.match(
      (await refusedStart(temporaryDirectory(context), node)).output,
      /Finish the move with deputy move/,
    )

    const second = deputy('move', '--from', directory, '--to', url)
    assert.equal(second.status, 0, second.all)
    rmSync(join(directory, 'moved'))
    const third = deputy('move', '--from', directory, '--to', url)
    assert.equal(third.status, 0, third.all)
    // A node that starts and delivers events adds nothing to the log.
    await command(url, 'UPDATE delivery_endpoints SET revision = revision + 1')
    rmSync(join(directory, 'moved'))
    const used = deputy('move', '--from', directory, '--to', url)
    assert.equal(used.status, 0, used.all)

    const elsewhere = temporaryDirectory(context) // no node starts in the directory itself
    copyFileSync(join(directory, 'master.key'), join(elsewhere, 'master.key'))
    const client = await aNode(context, elsewhere, url)
    assert.deepEqual(await answersOf(client, life.paths), before)
    await made(client.post('/v1/vat/issue/l1', anIssueRequest({ agent_id: 'later-bot' })))
    rmSync(join(directory, 'moved'))
    const late = deputy('move', '--from', directory, '--to', url)
    assert.equal(late.status, 0, late.all)
    assert.match((await refusedStart(directory)).output, /moved to/)
  })

  test('rejects a directory in use, a non-empty database, and a damaged log', async (context) => {
    const directory = temporaryDirectory(context)
    const url = await aDatabase(context)
    assert.match(deputy('move', '--from', directory, '--to', url).all, /does not contain an embedded store/)
    const program = await aProgram(context, directory)
    const client = httpClient(context, program.url)
    for (let count = 0; count < 3; count += 1) await made(client.post('/v1/vat/issue/l1', anIssueRequest()))
    const inUse = deputy('move', '--from', directory, '--to', url)
    assert.deepEqual([inUse.status, /another Deputy is using/.test(inUse.all)], [78, true])
    await program.stop()

    const lived = await aProgram(context, temporaryDirectory(context), { DEPUTY_DATABASE_URL: url })
    await lived.stop()
    const full = deputy('move', '--from', directory, '--to', url)
    assert.deepEqual([full.status, /is not empty/.test(full.all)], [78, true])

    const db = new DatabaseSync(join(directory, 'deputy.db'))
    db.exec(
      `DROP TRIGGER leaves_never_change; UPDATE leaves SET leaf = replace(leaf, 'calendar-bot', 'calendar-rob')`,
    )
    db.close()
    const damaged = deputy('move', '--from', directory, '--to', await aDatabase(context))
    assert.deepEqual(
      [damaged.status, /Entry 0 of the log doesn't match its hash/.test(damaged.all)],
      [78, true],
    )
    assert.match(
      deputy('move', '--from', directory, '--to', 'mysql://db/x').all,
      /--to must be a URL like postgres:/,
    )
  })
})

describe('deputy migrate', () => {
  test('prints the applied migrations, then that nothing is left to do', async (context) => {
    const url = await aDatabase(context)
    assert.match(deputy('migrate', '--database', url).stdout, /applied 0001-.*\n(.*\n)*.*is now up to date/)
    assert.match(deputy('migrate', '--database', url).stdout, /is up to date/)
    const tables = await command(
      url,
      `SELECT table_name AS name FROM information_schema.tables WHERE table_schema = current_schema AND table_type = 'BASE TABLE'`,
    )
    const expected = TABLE_NAMES.filter((name) => !('only' in TABLES[name]))
    assert.deepEqual(tables.map(({ name }) => name).toSorted(), expected.toSorted())
  })

  test('with --plan says what it would apply, and changes nothing', async (context) => {
    const url = await aDatabase(context)
    const { stdout } = deputy('migrate', '--plan', '--database', url)
    assert.match(
      stdout,
      /^A start of this version would apply to .*:\n {2}0001-.*\n(.*\n)*Nothing was changed\./,
    )
    const tables = await command(url, `SELECT to_regclass('migrations') AS migrations`)
    assert.deepEqual(tables, [{ migrations: null }])
    deputy('migrate', '--database', url)
    assert.match(
      deputy('migrate', '--plan', '--database', url).stdout,
      /is up to date\. A start changes nothing\./,
    )
    assert.match(deputy('migrate', '--data', './data').all, /--data needs --plan/)
  })

  test('reports an unreachable database in one sentence', () => {
    const { status, stderr } = deputy('migrate', '--database', 'postgres://me:hunter2@127.0.0.1:9/x')
    assert.equal(status, 78)
    assert.match(stderr, /^The database at 127\.0\.0\.1:9\/x cannot be reached: .*\n$/)
    assert.doesNotMatch(stderr, /hunter2/)
  })
})
